// Package browser holds kwit to its promises where people meet it: a headless
// Chromium against the real binary, a real PostgreSQL, and an HTTP provider in
// the test's own process that counts what reached it.
//
// Clicks and keys are the browser's own input events, one isolated browser
// context a person. Whatever a page writes to the console as an error fails the
// test. Where there is no Chromium or Chrome the tests are skipped, or fail with
// CI=true.
package browser
