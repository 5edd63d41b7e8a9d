package browser_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"kwit/static"
)

// programs are the names and places of a browser that can be driven.
var programs = []string{
	"chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
}

func TestMain(m *testing.M) {
	code := m.Run()
	stopChromium()
	os.Exit(code)
}

// chromium is the one browser of this test binary.
var chromium struct {
	sync.Mutex
	ctx context.Context // nil until it runs
}

// runningChromium starts the browser for the first test that needs it.
func runningChromium(t *testing.T) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("it drives a browser")
	}
	if !static.Has("vendor/htmx.min.js") {
		lacking(t, "the browser's libraries are not in static/vendor: run make assets")
	}
	program := findProgram()
	if program == "" {
		lacking(t, "there is no Chromium or Chrome: on Debian apt-get install chromium, on macOS brew install --cask google-chrome")
	}
	chromium.Lock()
	defer chromium.Unlock()
	if chromium.ctx == nil {
		ctx, err := startChromium(program)
		if err != nil {
			t.Fatalf("start %s: %v", program, err)
		}
		chromium.ctx = ctx
	}
	return chromium.ctx
}

func startChromium(program string) (context.Context, error) {
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program),
		chromedp.Flag("disable-gpu", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("lang", "en-GB"),
		// Chromium swallows the second of two equal submissions itself. Others
		// do not, and what is tested is kwit.
		chromedp.Flag("disable-features", "Translate,IgnoreDuplicateNavs"),
		chromedp.WindowSize(1100, 900),
	)
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox) // it refuses to run as root otherwise
	}
	allocator, _ := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, _ := chromedp.NewContext(allocator)
	return ctx, chromedp.Do(ctx)
}

func stopChromium() {
	chromium.Lock()
	defer chromium.Unlock()
	if chromium.ctx == nil {
		return
	}
	ctx, cancel := context.WithTimeout(chromium.ctx, 10*time.Second)
	defer cancel()
	if err := chromedp.Cancel(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "stop the browser:", err)
	}
}

func findProgram() string {
	for _, name := range programs {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

var sayOnce sync.Once

// lacking ends a test for which this machine lacks something.
func lacking(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	sayOnce.Do(func() { fmt.Fprintln(os.Stderr, "BROWSER TESTS SKIPPED:", what) })
	t.Skip(what)
}
