package web

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"kwit/contract"
	"kwit/ledger"
)

// submit finds the job that the key has, or makes one. What can be read is
// looked up before it is judged: today's configuration has no say about a job
// that is there (2-ledger, "Submission").
func (s *Server) submit(ctx context.Context, key string, in ledger.Intent, actor ledger.Actor) (ledger.Receipt, error) {
	existing, err := s.o.Ledger.FindByKey(ctx, actor.ID, key, in)
	if err != nil {
		return ledger.Receipt{}, err
	}
	if existing != nil {
		return ledger.Receipt{Job: *existing}, nil
	}
	t, err := s.judge(in)
	if err != nil {
		return ledger.Receipt{}, err
	}
	route := in.Route
	if route == nil {
		route = t.Route
	}
	return s.o.Ledger.Submit(ctx, ledger.Submission{
		Owner: actor.ID, Key: key, Intent: in, Raw: in.Input.Bytes(), RouteInForce: route,
		Digest: t.digest, Definition: t.Definition(), Repeatable: t.Repeatable, Actor: actor,
	})
}

// judge holds an intent against today's configuration.
func (s *Server) judge(in ledger.Intent) (jobType, error) {
	t, ok := s.types[in.JobType]
	if !ok {
		return t, refuse("unprocessable", "There is no job type %q. Nothing was started.", in.JobType).
			at(contract.Fault{Pointer: "/job_type", Detail: "is no job type that takes new jobs"})
	}
	if faults := routeFaults(in.Route, t.Route); faults != nil {
		return t, refuse("unprocessable", "The job type can go to: %v. Nothing was started.", t.Route).at(faults...)
	}
	if faults := t.Contract.CheckInput(in.Input); len(faults) > 0 {
		return t, refuse("input-invalid", "Put right what is listed under errors; pointers lead into the input. Nothing was started.").at(faults...)
	}
	return t, nil
}

// routeFaults says what is wrong with a requested route: a list of providers out
// of the job type's own.
func routeFaults(requested, allowed []string) []contract.Fault {
	if requested == nil {
		return nil
	}
	if len(requested) == 0 {
		return []contract.Fault{{Pointer: "/route", Detail: "must name a provider"}}
	}
	var faults []contract.Fault
	for i, name := range requested {
		at := fmt.Sprintf("/route/%d", i)
		switch {
		case !slices.Contains(allowed, name):
			faults = append(faults, contract.Fault{Pointer: at, Detail: "is no provider of this job type"})
		case slices.Contains(requested[:i], name):
			faults = append(faults, contract.Fault{Pointer: at, Detail: "names a provider twice"})
		}
	}
	return faults
}

// contractOf is the contract of the version under which a job was submitted and
// is judged.
func (s *Server) contractOf(ctx context.Context, job *ledger.Job) (*contract.Contract, error) {
	return s.contractOfVersion(ctx, job.JobTypeDigest)
}

func (s *Server) contractOfVersion(ctx context.Context, digest string) (*contract.Contract, error) {
	agreed, err := s.versions.Contract(ctx, digest)
	var unread *unreadVersionError
	if err != nil && !errors.As(err, &unread) {
		return nil, &internalError{fmt.Errorf("version %s of a job type: %w", digest, err)}
	}
	return agreed, err
}

// unreadVersionError tells a version that could not be read from one that
// cannot be compiled.
type unreadVersionError struct{ cause error }

func (e *unreadVersionError) Error() string { return e.cause.Error() }
func (e *unreadVersionError) Unwrap() error { return e.cause }

func (s *Server) definition(ctx context.Context, digest string) ([]byte, error) {
	version, err := s.o.Ledger.JobTypeVersion(ctx, digest)
	if err != nil {
		return nil, &unreadVersionError{err}
	}
	return version.Definition, nil
}
