package httpjson

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"kwit/provider"
)

// ask makes one request beside the attempt's own, and answers what arrived;
// nil, and why, where nothing did. It is never made again.
func (p *HTTP) ask(ctx context.Context, within time.Duration, method, address string, r provider.Request, id string) (*provider.Answer, string) {
	url, err := fill(address, r, id)
	if err != nil {
		return nil, fmt.Sprintf("The provider was not asked: %v.", err)
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	h := p.identify(r)
	h.Del(provider.HeaderCallback)
	end := p.wire.Do(ctx, provider.NewGate(nil, nil), provider.Exchange{
		Method:      method,
		URL:         url,
		Header:      h,
		AnswerBytes: p.answerBytes,
		Secrets:     p.secrets,
		Judge:       func(provider.Answer) provider.End { return provider.End{} },
	}, nil)
	return end.Answer, end.Detail
}

// CanEnquire tells whether there is a status address.
func (p *HTTP) CanEnquire() bool { return p.statusURL != "" }

// Enquire asks the status address; see [provider.Enquirer].
func (p *HTTP) Enquire(ctx context.Context, r provider.Request, providerRequestID string) provider.Report {
	answer, why := p.ask(ctx, provider.EnquireTimeout, http.MethodGet, p.statusURL, r, providerRequestID)
	if answer == nil {
		return provider.Report{Told: provider.ToldNoAnswer, Detail: "The status address gave no answer. " + why}
	}
	return p.readStatus(*answer, r.AttemptID)
}

// readStatus says what an answer of the status address tells.
func (p *HTTP) readStatus(a provider.Answer, attemptID string) provider.Report {
	nothing := func(why string, more ...any) provider.Report {
		return provider.Report{Told: provider.ToldNoAnswer, Status: a.Status,
			Detail: fmt.Sprintf("The status address answered %d, ", a.Status) + fmt.Sprintf(why, more...) + "."}
	}
	switch {
	case a.Status == http.StatusNotFound:
		return provider.Report{Told: provider.ToldNotKnown, Status: a.Status,
			Detail: "The status address does not know the request (404). That does not prove that nothing was done."}
	case a.Status < 200 || a.Status > 299:
		return nothing("which says nothing about the request")
	case !a.Whole:
		return nothing("and the answer was cut or is too large")
	}
	word, err := provider.ReadWord(a.Body)
	switch {
	case err != nil:
		return nothing("and the answer cannot be read: %v", err)
	case word.AttemptID != "" && word.AttemptID != attemptID:
		return nothing("and speaks of another attempt, %.100q", word.AttemptID)
	}
	if result, found := p.at(a.Body, p.resultPath); found {
		word.Result = result
	}
	// A request id in its header would name the enquiry, not the work.
	return word.Report(p.addNames(provider.End{Answer: &a}, a.Body))
}

// CanCancel tells whether there is an address for cancelling.
func (p *HTTP) CanCancel() bool { return p.cancelURL != "" }

// Cancel deletes at the address for cancelling; see [provider.Canceller].
func (p *HTTP) Cancel(ctx context.Context, r provider.Request, providerRequestID string) string {
	answer, why := p.ask(ctx, provider.CancelTimeout, http.MethodDelete, p.cancelURL, r, providerRequestID)
	if answer == nil {
		return "The provider did not answer the cancel call. " + why
	}
	switch s := answer.Status; {
	case s >= 200 && s <= 299:
		return fmt.Sprintf("The provider says: cancelled, or being cancelled (%d).", s)
	case s == http.StatusNotFound, s == http.StatusConflict:
		return fmt.Sprintf("The provider says: too late (%d).", s)
	default:
		return fmt.Sprintf("The provider answered the cancel call with %d, which does not say whether it stopped.", s)
	}
}

// ReplayWithin is how long the provider keeps a key; 0 where it honours none.
func (p *HTTP) ReplayWithin() time.Duration { return p.keyLifetime }

// JudgeReplay says what the answer to a replay tells; see [provider.JudgeReplay].
func (p *HTTP) JudgeReplay(a provider.Answer) provider.Report {
	return provider.JudgeReplay(a, p.Judge)
}
