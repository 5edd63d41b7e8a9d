// Package account owns people: who they are, what their role lets them see, and
// how they prove it, by a password and a session or by an API token. It also
// keeps what somebody typed when their session had died ("drafts"), and the
// keys of the MACs that kwit makes and checks itself.
//
// Rules of sign-in that hold everywhere:
//
//   - A person's id is the owner of jobs. The same person with two sessions or
//     two tokens is one owner (C03).
//   - A disabled person's sessions and tokens end at once; a new password ends
//     all earlier sessions. Every request therefore reads the person afresh.
//   - An unknown e-mail address, a wrong password and a disabled person are told
//     apart neither by the answer nor by the time it takes.
//   - The database holds hashes of passwords, tokens and session tokens, never
//     the things themselves.
//
// The package knows neither jobs nor providers, and has no HTTP handlers; it
// only sets up the session middleware.
package account
