// Package web is what browsers and applications speak to: pages, console, admin
// and the JSON API, with the live updates between them. A handler reads the
// request, asks the ledger, and renders; it knows neither SQL nor how providers
// are spoken to.
//
// One file holds one page or group of calls and is named for it. Handlers and
// middleware are plain net/http that may answer an error; echo only routes
// (routes.go). One table (failures.go) turns an error into a problem document, a
// page and a log line.
package web
