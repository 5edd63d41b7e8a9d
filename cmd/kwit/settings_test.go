package main

import (
	"net"
	"testing"
)

func TestIsLoopback(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]bool{
		"127.0.0.1:8080": true, "127.9.9.9:1": true, "[::1]:8080": true, "localhost:8080": true, "LOCALHOST:0": true,
		":8080": false, "0.0.0.0:8080": false, "[::]:8080": false, "192.0.2.1:80": false, "kwit.example.org:80": false,
		"localhost.example.org:80": false, "8080": false,
	} {
		if got := isLoopback(addr); got != want {
			t.Errorf("%s: got %t, want %t", addr, got, want)
		}
	}
}

func TestURLOf(t *testing.T) {
	t.Parallel()
	for want, addr := range map[string]net.Addr{
		"http://127.0.0.1:8080": &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080},
		"http://[::1]:80":       &net.TCPAddr{IP: net.IPv6loopback, Port: 80},
		"http://localhost:9":    &net.TCPAddr{IP: net.IPv4zero, Port: 9},
		"http://localhost:10":   &net.TCPAddr{IP: net.IPv6zero, Port: 10},
	} {
		if got := urlOf(addr).String(); got != want {
			t.Errorf("%s: got %s, want %s", addr, got, want)
		}
	}
}

func TestBaseURL(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://kwit.example.org":        "https://kwit.example.org",
		"https://kwit.example.org/":       "https://kwit.example.org",
		"http://127.0.0.1:8080/shop/kwit": "http://127.0.0.1:8080/shop/kwit",
	} {
		got, err := baseURL(text)
		if err != nil || got.String() != want {
			t.Errorf("%s: got %v, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"kwit.example.org", "ftp://x", "https://", "https://a@x", "https://x?q=1", "https://x#f", "://"} {
		if got, err := baseURL(text); err == nil {
			t.Errorf("%s is taken as %v", text, got)
		}
	}
	if got, err := baseURL(""); got != nil || err != nil {
		t.Errorf("unset: got %v, %v", got, err)
	}
}

func TestParseRoles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]roles{
		"web": {web: true}, "worker": {worker: true}, "web,worker": {true, true}, "worker, web": {true, true},
	} {
		if got, err := parseRoles(text); got != want || err != nil {
			t.Errorf("%s: got %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "web,", "admin", "web;worker"} {
		if _, err := parseRoles(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
