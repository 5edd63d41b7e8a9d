package sample

import (
	"time"

	"kwit/ledger"
	"kwit/outcome"
)

// Cases are jobs in the states that pages show.
func Cases() []Case {
	return []Case{
		queued(), running(), unknown(), workerLost(), racing(), released(), waiting(),
		done(), late(), retried(), failed(), charged(), cancelled(), cancelledRunning(),
		paused(), gone(), accepted(), asked(), replayed(),
	}
}

// Find gives one of the cases by its name.
func Find(name string) Case {
	for _, c := range Cases() {
		if c.Name == name {
			return c
		}
	}
	panic("sample: no case " + name)
}

func queued() Case {
	b := newCase("queued", 41, 3*time.Second)
	b.Job.State = ledger.JobQueued
	b.attempt("inkjet", 0)
	return b.Case
}

func running() Case {
	b := newCase("running", 42, 4*time.Second)
	b.Job.State = ledger.JobRunning
	b.attempt("inkjet", 0)
	b.run(0.4, 0.41, 60.4)
	return b.Case
}

func unknown() Case {
	b := newCase("unknown", 45, 2*time.Minute+11*time.Second)
	b.Job.State = ledger.JobUnknown
	b.attempt("inkjet", 0)
	b.run(0.9, 1, 11)
	n := int64(3207)
	a := b.turn(1, ledger.Unknown, 11, outcome.Timeout, "")
	a.Evidence = evidence(ledger.Evidence{BytesWritten: &n})
	return b.Case
}

func workerLost() Case {
	b := newCase("worker-lost", 57, 6*time.Minute)
	b.Job.State = ledger.JobUnknown
	b.attempt("farm", 0)
	b.run(1, 1.2, 300)
	b.turn(1, ledger.Unknown, 45, outcome.WorkerLost, "").ProviderRequestID = "req_8c1f"
	return b.Case
}

func racing() Case {
	b := newCase("racing", 46, 40*time.Second)
	b.Job.State = ledger.JobRunning
	b.attempt("inkjet", 0)
	b.run(0.3, 0.4, 10.4)
	b.turn(1, ledger.Unknown, 10.4, outcome.Timeout, "")
	b.turn(1, ledger.Released, 24, outcome.Timeout, "Ewa cannot wait")
	b.attempt("laser", 26)
	b.run(26.2, 26.3, 86)
	return b.Case
}

func released() Case {
	b := newCase("released", 47, 3*time.Minute)
	b.Job.State = ledger.JobUnknown
	b.attempt("inkjet", 0)
	b.run(0.3, 0.4, 30)
	b.turn(1, ledger.Unknown, 30, outcome.Timeout, "")
	b.turn(1, ledger.Released, 90, outcome.Timeout, "the printer was switched off")
	return b.Case
}

func waiting() Case {
	b := newCase("waiting", 48, 9*time.Second)
	b.Job.State = ledger.JobWaiting
	b.attempt("inkjet", 0)
	b.run(0.2, 0.3, 60)
	b.turn(1, ledger.Failed, 0.8, outcome.NotProcessed, "").Detail = "status 429"
	b.Job.NextAttemptAt, b.Job.NextProvider = b.at(21), "inkjet"
	return b.Case
}

func done() Case {
	b := newCase("done", 43, 5*time.Minute)
	b.attempt("inkjet", 0)
	b.run(0.05, 0.06, 60)
	b.win(1, 4.2)
	return b.Case
}

// late is C13: the second attempt wins, and the first, which left first, comes
// after it.
func late() Case {
	b := newCase("late", 44, 2*time.Hour)
	b.attempt("inkjet", 0)
	b.run(0.3, 0.4, 10)
	b.turn(1, ledger.Unknown, 10, outcome.Timeout, "")
	b.turn(1, ledger.Released, 20, outcome.Timeout, "it hangs again")
	b.attempt("laser", 22)
	b.run(22.1, 22.2, 80)
	b.win(2, 31)
	b.turn(1, ledger.Discarded, 35, outcome.Succeeded, "")
	b.lose(1, 35, ledger.LostRace, 4*time.Second)
	return b.Case
}

func retried() Case {
	b := newCase("retried", 49, 26*time.Hour)
	b.attempt("inkjet", 0)
	b.run(0.1, 0.1, 60)
	b.Job.Attempts[0].SentAt = nil
	b.turn(1, ledger.Failed, 0.6, outcome.NotSent, "").Detail = "connection refused"
	b.attempt("inkjet", 2)
	b.run(2.1, 2.2, 62)
	b.turn(2, ledger.Failed, 2.9, outcome.NotProcessed, "").Detail = "status 429"
	b.attempt("inkjet", 7)
	b.run(7.1, 7.2, 67)
	b.win(3, 12.5)
	return b.Case
}

func failed() Case {
	b := newCase("failed", 50, 70*time.Second)
	b.Job.State = ledger.JobFailed
	b.attempt("inkjet", 0)
	b.run(0.02, 0.021, 60)
	b.turn(1, ledger.Failed, 0.35, outcome.Rejected, "").Detail = "status 403"
	return b.Case
}

func charged() Case {
	b := newCase("charged", 51, 8*time.Minute)
	b.Job.State = ledger.JobFailed
	b.attempt("inkjet", 0)
	b.run(0.2, 0.3, 60)
	b.turn(1, ledger.Failed, 3.35, outcome.Contract, "").Detail = "/summary is required"
	return b.Case
}

func cancelled() Case {
	b := newCase("cancelled", 52, 20*time.Minute)
	b.Job.State, b.Job.CancelledAt = ledger.JobCancelled, b.at(5)
	b.attempt("inkjet", 0)
	b.turn(1, ledger.Cancelled, 5, outcome.Cancelled, "")
	return b.Case
}

func cancelledRunning() Case {
	b := newCase("cancelled-running", 53, 90*time.Second)
	b.Job.State, b.Job.CancelledAt = ledger.JobCancelled, b.at(30)
	b.attempt("inkjet", 0)
	b.run(0.2, 0.3, 12)
	b.turn(1, ledger.Unknown, 12, outcome.Timeout, "")
	b.turn(1, ledger.Cancelled, 25, outcome.Timeout, "the customer called")
	b.lose(1, 50, ledger.Fenced, 25*time.Second)
	b.attempt("laser", 27)
	b.run(27.2, 27.3, 200)
	return b.Case
}
