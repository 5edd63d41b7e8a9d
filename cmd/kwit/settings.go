package main

import (
	"cmp"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// What is set where: a flag comes before a variable, a variable before the
// default (3-interfaces, "Conventions"). A variable that is empty is not set.
const (
	defaultAddr    = "127.0.0.1:8080"
	defaultConfig  = "kwit.yaml"
	defaultDataDir = ".kwit"
)

// textFlag adds a flag that a variable of the environment stands in for.
func textFlag(flags *pflag.FlagSet, name, variable, fallback, usage string) {
	flags.String(name, cmp.Or(os.Getenv(variable), fallback), usage+"; or "+variable)
}

func dataDir() string { return cmp.Or(os.Getenv("KWIT_DATA_DIR"), defaultDataDir) }

// switchedOn reads a variable that is a switch.
func switchedOn(variable string) (bool, error) {
	text := os.Getenv(variable)
	if text == "" {
		return false, nil
	}
	on, err := strconv.ParseBool(text)
	if err != nil {
		return false, wrongUsage("%s is %q: set it to 1 or 0", variable, text)
	}
	return on, nil
}

// checkAddr refuses what is no address to listen on.
func checkAddr(addr string) error {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return wrongUsage("the address %q cannot be listened on: write HOST:PORT, such as %s", addr, defaultAddr)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n > 65535 {
		return wrongUsage("the address %q has no port from 0 to 65535", addr)
	}
	return nil
}

// isLoopback tells whether only this machine can reach the address.
func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// baseURL reads KWIT_BASE_URL, the public address; nil where it is not set.
func baseURL(text string) (*url.URL, error) {
	if text == "" {
		return nil, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" ||
		u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, wrongUsage("KWIT_BASE_URL is %q: set it to kwit's public address, such as https://kwit.example.org", text)
	}
	u.Path = strings.TrimRight(u.Path, "/")
	return u, nil
}

// urlOf names a listener's address so that a browser on this machine finds it.
func urlOf(addr net.Addr) *url.URL {
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return &url.URL{Scheme: "http", Host: addr.String()}
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return &url.URL{Scheme: "http", Host: net.JoinHostPort(host, port)}
}
