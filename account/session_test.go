package account_test

import (
	"errors"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"kwit/account"
)

// site is a web server with sessions, reduced to what sessions need.
type site struct {
	*httptest.Server
	accounts *account.Accounts
	pool     *pgxpool.Pool
	// A stream that has begun asks twice, once for each value, and answers here.
	recheck chan struct{}
	checked chan error
	// A request to /slow has begun, and may end.
	begun, end chan struct{}
}

func newSite(t *testing.T, o account.SessionOptions) *site {
	t.Helper()
	a, pool := newAccounts(t)
	s := &site{
		accounts: a, pool: pool, recheck: make(chan struct{}), checked: make(chan error),
		begun: make(chan struct{}), end: make(chan struct{}),
	}
	s.Server = httptest.NewUnstartedServer(nil)
	o.BaseURL = &url.URL{Scheme: "http", Host: s.Listener.Addr().String()}
	sessions := a.Sessions(o)
	s.Config.Handler = sessions.Middleware(s.routes(sessions))
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func (s *site) routes(sessions *account.Sessions) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /sign-in", func(w http.ResponseWriter, r *http.Request) {
		_, err := sessions.SignIn(r.Context(), account.Credentials{
			Email: r.PostFormValue("email"), Password: r.PostFormValue("password"),
		})
		answer(w, "", err)
	})
	mux.HandleFunc("POST /sign-out", func(w http.ResponseWriter, r *http.Request) {
		answer(w, "", sessions.SignOut(r.Context()))
	})
	mux.HandleFunc("GET /me", func(w http.ResponseWriter, r *http.Request) {
		me, err := sessions.Current(r.Context())
		if err != nil {
			answer(w, "", err)
			return
		}
		answer(w, me.ID.String()+" "+string(me.Role), nil)
	})
	mux.HandleFunc("GET /slow", func(_ http.ResponseWriter, _ *http.Request) {
		s.begun <- struct{}{}
		<-s.end
	})
	mux.HandleFunc("GET /stream", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		for range 2 {
			<-s.recheck
			_, err := sessions.Recheck(r.Context())
			s.checked <- err
		}
	})
	return mux
}

func answer(w http.ResponseWriter, text string, err error) {
	switch {
	case errors.Is(err, account.ErrSignedOut), errors.Is(err, account.ErrBadCredentials):
		w.WriteHeader(http.StatusUnauthorized)
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	default:
		w.Header().Set("X-Answer", text)
	}
}

// browser keeps cookies.
type browser struct {
	t    *testing.T
	site *site
	http *http.Client
}

func (s *site) browser(t *testing.T) *browser {
	return &browser{t: t, site: s, http: &http.Client{Jar: must(cookiejar.New(nil))(t), Timeout: 20 * time.Second}}
}

func (b *browser) signIn(email, password string) *http.Response {
	b.t.Helper()
	form := url.Values{"email": {email}, "password": {password}}
	return closed(must(b.http.PostForm(b.site.URL+"/sign-in", form))(b.t))
}

func (b *browser) signOut() {
	b.t.Helper()
	closed(must(b.http.Post(b.site.URL+"/sign-out", "", nil))(b.t))
}

// me returns who the browser is signed in as, or the status if that is not 200.
func (b *browser) me() string {
	b.t.Helper()
	response := closed(must(b.http.Get(b.site.URL + "/me"))(b.t))
	if response.StatusCode != http.StatusOK {
		return response.Status
	}
	return response.Header.Get("X-Answer")
}

func (b *browser) cookie() string {
	for _, c := range b.http.Jar.Cookies(must(url.Parse(b.site.URL))(b.t)) {
		return c.Value
	}
	return ""
}

func closed(r *http.Response) *http.Response {
	_ = r.Body.Close()
	return r
}

const signedOut = "401 Unauthorized"

func TestSigningInAndOut(t *testing.T) {
	t.Parallel()
	s := newSite(t, account.SessionOptions{})
	p := addPerson(t, s.accounts)
	b := s.browser(t)

	if got := b.me(); got != signedOut || b.cookie() != "" {
		t.Errorf("before: %s, cookie %q", got, b.cookie())
	}
	if r := b.signIn(p.Email, "wrong"); r.StatusCode != http.StatusUnauthorized || b.cookie() != "" {
		t.Errorf("a wrong password: %s, cookie %q", r.Status, b.cookie())
	}
	b.signIn(p.Email, password)
	if got := b.me(); got != p.ID.String()+" user" {
		t.Errorf("signed in as %s", got)
	}
	ok(t, s.accounts.SetRole(t.Context(), p.ID, account.RoleAdmin))
	if got := b.me(); got != p.ID.String()+" admin" {
		t.Errorf("with the role changed: %s", got)
	}
	kept := b.cookie()
	b.signOut()
	if got := b.me(); got != signedOut || b.cookie() != "" {
		t.Errorf("signed out: %s, cookie %q", got, b.cookie())
	}
	b.setCookie(kept)
	if got := b.me(); got != signedOut {
		t.Errorf("with the cookie of before: %s", got)
	}
}

func (b *browser) setCookie(value string) {
	b.http.Jar.SetCookies(must(url.Parse(b.site.URL))(b.t), []*http.Cookie{{Name: "kwit_session", Value: value}})
}

func TestC03_TwoSessionsAndATokenAreOneOwner(t *testing.T) {
	t.Parallel()
	s := newSite(t, account.SessionOptions{})
	p := addPerson(t, s.accounts)
	first, second := s.browser(t), s.browser(t)
	first.signIn(p.Email, password)
	second.signIn(p.Email, password)
	plain, _, err := s.accounts.CreateToken(t.Context(), p.ID, "laptop")
	ok(t, err)
	who, _, err := s.accounts.ByToken(t.Context(), plain)
	ok(t, err)
	if first.cookie() == second.cookie() {
		t.Error("two browsers have one session")
	}
	if want := who.ID.String() + " user"; first.me() != want || second.me() != want {
		t.Errorf("signed in as %s and %s, the token as %s", first.me(), second.me(), want)
	}
}

// Session fixation: a token that somebody planted is not the one that signs in.
func TestSignInRenewsTheToken(t *testing.T) {
	t.Parallel()
	s := newSite(t, account.SessionOptions{})
	p, other := addPerson(t, s.accounts), addPerson(t, s.accounts)
	b := s.browser(t)
	b.setCookie("planted")
	b.signIn(p.Email, password)
	first := b.cookie()
	b.signIn(other.Email, password)
	if first == "planted" || b.cookie() == first {
		t.Errorf("tokens: planted, %q, %q", first, b.cookie())
	}
	if got := b.me(); got != other.ID.String()+" user" {
		t.Errorf("signed in as %s", got)
	}
	if rows := ask[int](t, s.pool, "SELECT count(*) FROM sessions"); rows != 1 {
		t.Errorf("%d sessions are left", rows)
	}
	if rows := ask[int](t, s.pool, "SELECT count(*) FROM sessions WHERE token = $1", b.cookie()); rows != 0 {
		t.Error("the database holds the token itself")
	}
}

func TestASessionEnds(t *testing.T) {
	t.Parallel()
	s := newSite(t, account.SessionOptions{})
	for what, end := range map[string]func(account.User){
		"disabled":     func(p account.User) { ok(t, s.accounts.Disable(t.Context(), p.ID)) },
		"new password": func(p account.User) { ok(t, s.accounts.SetPassword(t.Context(), p.ID, "another password")) },
		"idle": func(account.User) {
			run(t, s.pool, "UPDATE sessions SET idle_until = clock_timestamp()")
		},
		"over": func(account.User) {
			run(t, s.pool, "UPDATE sessions SET idle_until = clock_timestamp(), ends_at = clock_timestamp()")
		},
	} {
		p := addPerson(t, s.accounts)
		b := s.browser(t)
		b.signIn(p.Email, password)
		if got := b.me(); got != p.ID.String()+" user" {
			t.Errorf("%s, before: %s", what, got)
		}
		end(p)
		if got := b.me(); got != signedOut {
			t.Errorf("%s: %s", what, got)
		}
	}
}

func TestANewPasswordIsTheOnlyOne(t *testing.T) {
	t.Parallel()
	s := newSite(t, account.SessionOptions{})
	p := addPerson(t, s.accounts)
	ok(t, s.accounts.SetPassword(t.Context(), p.ID, "another password"))
	b := s.browser(t)
	if r := b.signIn(p.Email, password); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("the old one: %s", r.Status)
	}
	b.signIn(p.Email, "another password")
	if got := b.me(); got != p.ID.String()+" user" {
		t.Errorf("the new one: %s", got)
	}
}

func TestARequestExtendsASessionOnceAMinuteUpToItsEnd(t *testing.T) {
	t.Parallel()
	s := newSite(t, account.SessionOptions{Idle: time.Hour, Lifetime: 24 * time.Hour})
	p := addPerson(t, s.accounts)
	b := s.browser(t)
	b.signIn(p.Email, password)
	idle := func() time.Duration {
		b.me()
		return time.Duration(ask[float64](t, s.pool,
			"SELECT extract(epoch FROM idle_until - clock_timestamp())::float8 FROM sessions") * float64(time.Second))
	}
	version := func() string { return ask[string](t, s.pool, "SELECT xmin::text FROM sessions") }

	signedIn := version()
	if left := idle(); left < 59*time.Minute || left > time.Hour || version() != signedIn {
		t.Errorf("at once: idle in %v, written again: %v", left, version() != signedIn)
	}
	run(t, s.pool, "UPDATE sessions SET idle_until = clock_timestamp() + interval '10 minutes'")
	if left := idle(); left < 59*time.Minute {
		t.Errorf("a request did not extend the session: idle in %v", left)
	}
	run(t, s.pool, `UPDATE sessions SET idle_until = clock_timestamp() + interval '10 minutes',
		ends_at = clock_timestamp() + interval '20 minutes'`)
	if left := idle(); left < 19*time.Minute || left > 20*time.Minute {
		t.Errorf("20 minutes before the end: idle in %v", left)
	}
}

func TestARequestThatEndsAfterTheSignOutBringsNothingBack(t *testing.T) {
	t.Parallel()
	s := newSite(t, account.SessionOptions{})
	b := s.browser(t)
	b.signIn(addPerson(t, s.accounts).Email, password)
	answered := make(chan error)
	go func() {
		r, err := b.http.Get(s.URL + "/slow")
		if err == nil {
			closed(r)
		}
		answered <- err
	}()
	<-s.begun
	b.signOut()
	close(s.end)
	ok(t, <-answered)
	if rows := ask[int](t, s.pool, "SELECT count(*) FROM sessions"); rows != 0 {
		t.Error("the session is back")
	}
}

func TestAStreamEndsWithItsSession(t *testing.T) {
	t.Parallel()
	s := newSite(t, account.SessionOptions{})
	p := addPerson(t, s.accounts)
	b := s.browser(t)
	for what, end := range map[string]func(){
		"sign-out in another tab": b.signOut,
		"new password":            func() { ok(t, s.accounts.SetPassword(t.Context(), p.ID, password)) },
		"idle":                    func() { run(t, s.pool, "UPDATE sessions SET idle_until = clock_timestamp()") },
	} {
		b.signIn(p.Email, password)
		stream := must(b.http.Get(s.URL + "/stream"))(t)
		s.recheck <- struct{}{}
		if err := <-s.checked; err != nil {
			t.Errorf("%s, before: %v", what, err)
		}
		end()
		s.recheck <- struct{}{}
		if err := <-s.checked; !errors.Is(err, account.ErrSignedOut) {
			t.Errorf("%s: %v", what, err)
		}
		closed(stream)
	}
}

func TestTheCookieFitsTheBaseURL(t *testing.T) {
	t.Parallel()
	a, _ := newAccounts(t)
	p := addPerson(t, a)
	for base, want := range map[string]struct {
		name, path string
		secure     bool
	}{
		"http://127.0.0.1:8080":     {"kwit_session", "/", false},
		"http://127.0.0.1/kwit/":    {"kwit_session", "/kwit", false},
		"https://kwit.example.org":  {"__Host-kwit_session", "/", true},
		"https://kwit.example.org/": {"__Host-kwit_session", "/", true},
		"https://example.org/kwit":  {"__Secure-kwit_session", "/kwit", true},
	} {
		sessions := a.Sessions(account.SessionOptions{BaseURL: must(url.Parse(base))(t)})
		recorder := httptest.NewRecorder()
		sessions.Middleware(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, err := sessions.SignIn(r.Context(), account.Credentials{Email: p.Email, Password: password})
			ok(t, err)
		})).ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), "POST", base+"/sign-in", nil))

		cookies := recorder.Result().Cookies()
		if len(cookies) != 1 {
			t.Fatalf("%s: %d cookies", base, len(cookies))
		}
		c := cookies[0]
		if c.Name != want.name || c.Path != want.path || c.Secure != want.secure || c.Domain != "" {
			t.Errorf("%s: %s", base, c)
		}
		if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.MaxAge < 6*24*3600 || c.MaxAge > 7*24*3600+1 {
			t.Errorf("%s: %s", base, c)
		}
	}
}

func TestADatabaseThatDoesNotAnswerIsNoSignOut(t *testing.T) {
	t.Parallel()
	failed := make(chan error, 1)
	s := newSite(t, account.SessionOptions{Fail: func(w http.ResponseWriter, _ *http.Request, err error) {
		w.WriteHeader(http.StatusServiceUnavailable)
		failed <- err
	}})
	b := s.browser(t)
	b.signIn(addPerson(t, s.accounts).Email, password)
	s.pool.Close()
	if got := b.me(); got != "503 Service Unavailable" {
		t.Errorf("answered %s", got)
	}
	if err := <-failed; err == nil {
		t.Error("no error was told")
	}
}
