package views

import (
	"net/url"
	"strconv"
	"time"

	"kwit/ledger"
)

// jobsPath is the address of a list of jobs. A search is not kept: it asks for
// one job, whatever its state.
func jobsPath(f JobsFilter, state ledger.JobState, cursor string) string {
	return withQuery("/jobs", "state", string(state), "job_type", f.JobType, "cursor", cursor)
}

// withQuery adds the values that are not empty to a path.
func withQuery(path string, pairs ...string) string {
	query := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			query.Set(pairs[i], pairs[i+1])
		}
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// refreshMS tells the script when to look again, in milliseconds; 0 is never.
func refreshMS(j *ledger.Job, now time.Time) string {
	return strconv.FormatInt(RefreshAfter(j, now).Milliseconds(), 10)
}

// listedStates are the states that the console lists, each on a page of its own.
var listedStates = []ledger.AttemptState{ledger.Unknown, ledger.Released, ledger.Running, ledger.Pending}

// listedState is the state that the console lists; where none is asked for, the
// attempts in doubt.
func listedState(s ledger.AttemptState) ledger.AttemptState {
	if s == "" {
		return ledger.Unknown
	}
	return s
}

// consolePath is the address of a list of attempts.
func consolePath(s ledger.AttemptState, cursor string) string {
	if s == ledger.Unknown {
		s = ""
	}
	return withQuery("/console", "state", string(s), "cursor", cursor)
}
