package dispatch

import (
	"context"
	"net/http"

	"kwit/ledger"
	"kwit/provider"
)

// render makes the request of an attempt, by the version under which its job was
// submitted. Its error is for people: the attempt is not sent.
func (d *Dispatcher) render(ctx context.Context, job *ledger.Job, a *ledger.Attempt) (provider.Request, error) {
	r := d.request(*job, *a)
	rules, err := d.o.Contract(ctx, job.JobTypeDigest)
	if err != nil {
		return r, err
	}
	prompt, err := rules.Render(job.Input)
	if err != nil || prompt == nil {
		return r, err
	}
	r.Prompt = &provider.Prompt{System: prompt.System, User: prompt.User,
		Parameters: provider.Parameters(prompt.Parameters)}
	return r, nil
}

// request identifies the attempt to its provider, and tells one that may call
// back where.
func (d *Dispatcher) request(job ledger.Job, a ledger.Attempt) provider.Request {
	r := provider.Request{AttemptID: a.ID.String(), JobID: job.ID.String(), Body: job.Input}
	if d.o.CallbackAddress != nil && d.o.Providers[a.Provider].Callbacks {
		r.Header = http.Header{provider.HeaderCallback: {d.o.CallbackAddress(a.OwnerID, a.ID)}}
	}
	return r
}
