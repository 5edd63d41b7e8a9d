package httpjson

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"kwit/outcome"
	"kwit/provider"
)

// ReplayWithin is how long the provider keeps a key; 0 where it honours none.
func (p *HTTP) ReplayWithin() time.Duration { return p.keyLifetime }

// headerReplayed marks an answer that was stored under the key, by the custom
// of those who honour keys.
const headerReplayed = "Idempotent-Replayed"

// JudgeReplay says what the answer to a replay tells; see [provider.Replayer].
// An error counts as the one that was stored for the key only where the answer
// says so itself (Idempotent-Replayed: true): any other may be about the replay.
func (p *HTTP) JudgeReplay(a provider.Answer) provider.Report {
	end := provider.JudgeSafely(p.Judge, a)
	end.Answer = &a
	switch {
	case a.Status >= 200 && a.Status <= 299:
		return provider.ReportEnd(end)
	case a.Whole && a.Status >= 400 && a.Header.Get(headerReplayed) == "true" && !p.passing(end, a.Status):
		end.Outcome, end.RetryAfter = outcome.ProviderError, 0
		end.Detail = fmt.Sprintf("The provider answered with what it stored for the key: the error %d. The work may have been charged.", a.Status)
		return provider.ReportEnd(end)
	}
	return provider.Report{Told: provider.ToldNoAnswer, Status: a.Status,
		Detail: fmt.Sprintf("The request was sent again as an enquiry, and answered with %d, which says nothing about the first one.", a.Status)}
}

// passing tells whether an error is of the moment: a refusal before work, or a
// request that is under way.
func (p *HTTP) passing(end provider.End, status int) bool {
	return end.Outcome == outcome.NotProcessed || status == http.StatusRequestTimeout || status == http.StatusConflict ||
		slices.Contains(p.notProcessed, status)
}
