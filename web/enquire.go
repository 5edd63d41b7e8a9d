package web

import (
	"net/http"

	"kwit/ledger"
	"kwit/provider"
	"kwit/views"
)

// apiEnquire is POST /api/v1/attempts/{id}/enquire: the provider is asked now
// what became of an attempt, instead of when its next turn comes.
func (s *Server) apiEnquire(w http.ResponseWriter, r *http.Request) error {
	_, act, err := s.readAct(w, r)
	if err != nil {
		return err
	}
	attempt, err := s.enquire(r, act)
	return s.writeAttempt(w, attempt, err)
}

// enquire makes the next enquiry due, where there is somebody to ask. Whichever
// worker takes the turn asks; what it hears stands beside the attempt then.
func (s *Server) enquire(r *http.Request, act ledger.AttemptAct) (*ledger.Attempt, error) {
	a, err := s.o.Ledger.Attempt(r.Context(), act.Owner, act.Attempt)
	if err != nil {
		return nil, err
	}
	if inDoubt(a) && s.asking(a) == views.AskNot {
		return nil, refuse("cannot-enquire", "%s", s.whyNotAsked(a))
	}
	return s.o.Ledger.EnquireNow(r.Context(), act)
}

// inDoubt tells whether there is anything to ask about an attempt.
func inDoubt(a *ledger.Attempt) bool {
	return a.State == ledger.Unknown || a.State == ledger.Released || a.State == ledger.Running && a.AcceptedAt != nil
}

// asking is how today's configuration lets us ask about an attempt. A request is
// sent again only while its provider still knows the key, and not while it is at
// work.
func (s *Server) asking(a *ledger.Attempt) views.Asking {
	adapter := s.providers[a.Provider].Adapter
	if _, ok := provider.EnquirerOf(adapter); ok {
		return views.AskStatus
	}
	replayer, ok := provider.ReplayerOf(adapter)
	if ok && a.State != ledger.Running && a.SentAt != nil && s.o.Now().Sub(*a.SentAt) < replayer.ReplayWithin() {
		return views.AskReplay
	}
	return views.AskNot
}

func (s *Server) whyNotAsked(a *ledger.Attempt) string {
	const instead = " Find out from its provider by other means, then cancel or resolve the attempt."
	p, configured := s.providers[a.Provider]
	_, replays := provider.ReplayerOf(p.Adapter)
	switch {
	case !configured:
		return a.Provider + " is not configured any more, so there is nobody to ask." + instead
	case replays && a.State == ledger.Running:
		return a.Provider + " has accepted the request and has no status address, so it can only call back." + instead
	case replays:
		return a.Provider + " is asked by the same request under the same key, and does not keep the key for so long." + instead
	}
	return a.Provider + " has no status address and does not promise to honour keys, so it cannot be asked." + instead
}
