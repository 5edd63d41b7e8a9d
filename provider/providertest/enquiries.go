package providertest

import (
	"context"
	"testing"

	"kwit/outcome"
	"kwit/provider"
	"kwit/provider/behaviour"
)

// later is what a provider tells about a request that it was sent before.
type later struct {
	told provider.Told
	end  outcome.Outcome
}

var (
	done     = later{provider.ToldSucceeded, outcome.Succeeded}
	failed   = later{provider.ToldFailed, outcome.ProviderError}
	running  = later{told: provider.ToldRunning}
	notKnown = later{told: provider.ToldNotKnown}
	silent   = later{told: provider.ToldNoAnswer}
)

// RunEnquiries holds an adapter against what [provider.Enquirer] and
// [provider.Replayer] promise, as far as it is either. start makes a subject of
// its own for each test; its far end must play all of package behaviour and be
// configured for what the adapter can.
func RunEnquiries(t *testing.T, start func(testing.TB) Subject) {
	s := start(t)
	enquirer, enquires := provider.EnquirerOf(s.Provider)
	replayer, replays := provider.ReplayerOf(s.Provider)
	if !enquires && !replays {
		t.Fatal("this provider can neither be asked nor honours keys")
	}
	if enquires {
		t.Run("accepted, then asked", func(t *testing.T) { accepted(t, s, enquirer) })
		t.Run("unknown to it", func(t *testing.T) {
			checkReport(t, enquirer.Enquire(Patience(t), Ask("never-sent", nil), ""), notKnown)
		})
	}
	for b, want := range map[behaviour.Behaviour]struct{ asked, replayed later }{
		behaviour.Normal: {done, done},
		behaviour.Lost:   {done, done},
		behaviour.Reset:  {done, done},
		behaviour.Late:   {done, done},
		behaviour.Broken: {done, done},
		behaviour.Fail:   {failed, failed},
		behaviour.Silent: {running, silent},
		behaviour.Refuse: {notKnown, silent},
		behaviour.Forget: {notKnown, silent},
	} {
		t.Run(string(b), func(t *testing.T) {
			t.Parallel()
			attempt := "asked-" + string(b)
			first := sendAsked(t, s, b, Ask(attempt, Body(b)))
			if enquires {
				report := enquirer.Enquire(Patience(t), Ask(attempt, nil), first.ProviderRequestID)
				checkReport(t, report, want.asked)
				checkSame(t, first, report)
			}
			if n := s.Seen.Count(attempt); n != 1 {
				t.Errorf("the provider saw %d submitting requests, want one", n)
			}
			if replays {
				report := provider.ReportReplay(replayer, sendAsked(t, s, b, Ask(attempt, Body(b)).AsEnquiry()))
				checkReport(t, report, want.replayed)
				checkSame(t, first, report)
			}
			if n := s.Seen.Submissions(attempt); n != 1 {
				t.Errorf("the provider saw %d requests that were not marked as enquiries, want one", n)
			}
		})
	}
}

// sendAsked sends a request, and stops listening once it was seen where no
// answer will come.
func sendAsked(t *testing.T, s Subject, b behaviour.Behaviour, r provider.Request) provider.End {
	t.Helper()
	ctx, cancel := context.WithCancel(Patience(t))
	defer cancel()
	if b == behaviour.Silent || b == behaviour.Forget {
		go func() {
			if s.Seen.WaitFor(ctx, r.AttemptID) == nil {
				cancel()
			}
		}()
	}
	return s.Provider.Send(ctx, provider.NewGate(nil, nil), r, nil)
}

func accepted(t *testing.T, s Subject, p provider.Enquirer) {
	const attempt = "accepted"
	end := s.Provider.Send(Patience(t), provider.NewGate(nil, nil), Ask(attempt, Body(behaviour.Accept)), nil)
	if !end.Accepted || end.Outcome != outcome.None {
		t.Fatalf("got %q, accepted %v (%s)", end.Outcome, end.Accepted, end.Detail)
	}
	for ctx := Patience(t); ; {
		report := p.Enquire(ctx, Ask(attempt, nil), end.ProviderRequestID)
		if report.Told != provider.ToldRunning {
			checkReport(t, report, done)
			return
		}
		if report.Settles() || ctx.Err() != nil {
			t.Fatalf("running: %+v", report)
		}
	}
}

func checkReport(t *testing.T, r provider.Report, want later) {
	t.Helper()
	if r.Told != want.told || r.End.Outcome != want.end {
		t.Errorf("told %s, %q, want %s, %q (%s)", r.Told, r.End.Outcome, want.told, want.end, r.Detail)
	}
	if r.Detail == "" {
		t.Error("the report has no words for a person")
	}
	if (r.Told == provider.ToldSucceeded) != (r.End.Result != nil) || r.Settles() != (r.End.Answer != nil) {
		t.Errorf("told %s with the end %+v", r.Told, r.End)
	}
}

// checkSame: what is told later is what was answered at once, if it was.
func checkSame(t *testing.T, first provider.End, r provider.Report) {
	t.Helper()
	if first.Result != nil && r.End.Result != nil && string(first.Result) != string(r.End.Result) {
		t.Errorf("answered %s, told later %s", first.Result, r.End.Result)
	}
}
