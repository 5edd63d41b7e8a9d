// Package ledger is the heart of kwit: jobs, the attempts beneath them, and the
// only code that may change either.
//
// Every transition but submission has one shape. A short transaction at READ
// COMMITTED locks the job's row first, then acts by guarded statements, then
// writes the late result, the event and the dispatcher's wake-up. The lock makes
// the order; the guards decide; a guard that refuses is answered with a typed
// error that says what stood in the way, and changes nothing.
//
//	           claim            answer, CAS won
//	pending ───────────▶ running ─────────────────▶ succeeded
//	   │                  │  │ │  definite failure
//	   │                  │  │ └──────────────────▶ failed
//	   │                  │  │ answer, CAS lost
//	   │                  │  └────────────────────▶ discarded   (+ a late result)
//	   │                  │ timeout, lost answer, dead worker
//	   │                  ▼
//	   │               unknown ──▶ succeeded | failed | discarded
//	   │                  │
//	   │   cancel         │ cancel        release
//	   └────────────▶ cancelled ◀──┘  └──▶ released ──▶ succeeded | failed | discarded | cancelled
//
// The rule, which a test walks (nothing else is allowed):
//
//	pending                     → running                       the claim
//	pending                     → cancelled                     a person, or with its job
//	pending                     → unknown                       a callback about a send that was forgotten
//	running                     → unknown                       deadline, lost answer, dead worker
//	running, unknown            → released                      a person
//	running, unknown, released  → succeeded, discarded, failed  the answer, or a person's word
//	running, unknown, released  → cancelled                     a person
//
// The database's clock is the clock: the ledger never compares a time of this
// process with one that is stored.
package ledger
