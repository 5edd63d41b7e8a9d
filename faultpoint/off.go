//go:build !faultpoints

package faultpoint

// Hit marks an instant. It does nothing in this build.
func Hit(string) {}
