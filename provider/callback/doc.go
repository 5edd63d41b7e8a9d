// Package callback reads what a provider calls back: who it is from, when it
// was said, and what it says (3-interfaces, "Callbacks"). It knows neither a
// server nor the database; who serves a callback looks after webhook-ids and
// stores what was said before answering.
//
// A callback is signed by the rules of Standard Webhooks
// (https://www.standardwebhooks.com): an HMAC-SHA256 over id, timestamp and body
// with the secret that provider and kwit share. The signature does not cover
// the address, which is why the address carries a MAC of its own.
package callback
