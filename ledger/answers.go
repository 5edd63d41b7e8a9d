package ledger

import (
	"context"
	"encoding/json"
	"net/textproto"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"kwit/db"
)

// Answer is what a provider answered, as it arrived: kept before it is parsed,
// so that a worker's death loses nothing that was paid for, and dropped with the
// verdict.
type Answer struct {
	Owner, Attempt uuid.UUID
	Status         int
	MediaType      string
	Header         map[string][]string
	Body           []byte
	Whole          bool // nothing was cut off
	ReceivedAt     time.Time
}

// KeepAnswer stores an answer until its verdict. It may be repeated.
func (l *Ledger) KeepAnswer(ctx context.Context, a Answer) error {
	header, err := json.Marshal(a.Header)
	if err != nil {
		return err
	}
	body := a.Body
	if body == nil {
		body = []byte{}
	}
	return l.q.KeepAnswer(ctx, l.pool, db.KeepAnswerParams{
		OwnerID: a.Owner, AttemptID: a.Attempt, Status: int32(a.Status), MediaType: clean(a.MediaType),
		Header: header, Body: body, Whole: a.Whole})
}

// AnswerOf returns the answer that is kept for an attempt, or ErrNotFound.
func (l *Ledger) AnswerOf(ctx context.Context, owner, attempt uuid.UUID) (Answer, error) {
	r, err := l.q.AnswerOf(ctx, l.pool, db.AnswerOfParams{OwnerID: owner, AttemptID: attempt})
	if err != nil {
		return Answer{}, notFound(err)
	}
	a := Answer{Owner: r.OwnerID, Attempt: r.AttemptID, Status: int(r.Status), MediaType: r.MediaType, Body: r.Body,
		Whole: r.Whole, ReceivedAt: r.ReceivedAt}
	var header textproto.MIMEHeader
	if err := json.Unmarshal(r.Header, &header); err != nil {
		return Answer{}, err
	}
	a.Header = header
	return a, nil
}

// AttemptRef names an attempt, and the claim under which it runs.
type AttemptRef struct {
	Owner, Attempt uuid.UUID
	Stamp          uuid.UUID // nil UUID where it was never claimed
}

// UnjudgedAnswers lists whole answers whose worker died before the verdict.
func (l *Ledger) UnjudgedAnswers(ctx context.Context, limit int) ([]AttemptRef, error) {
	rows, err := l.q.UnjudgedAnswers(ctx, l.pool, int32(limit))
	return mapped(rows, err, func(r db.UnjudgedAnswersRow) AttemptRef {
		return AttemptRef{Owner: r.OwnerID, Attempt: r.AttemptID}
	})
}

// AnswerSettlesNothing notes that the answer kept for an attempt was looked at:
// it stays as evidence until the attempt ends, and is not judged again.
func (l *Ledger) AnswerSettlesNothing(ctx context.Context, owner, attempt uuid.UUID) error {
	if err := l.answerSettlesNothing(ctx, l.pool, owner, attempt); err != nil {
		return err
	}
	_, err := l.q.DropAnswerIfEnded(ctx, l.pool, db.DropAnswerIfEndedParams{OwnerID: owner, AttemptID: attempt})
	return err
}

// NoteRequestID notes the provider's own name for an attempt's request, where
// none is known yet. It may come with an answer that settles nothing, such as a
// 202 after the deadline, and is what the provider can still be asked by.
func (l *Ledger) NoteRequestID(ctx context.Context, owner, attempt uuid.UUID, id string) error {
	name := requestID(id)
	if name == nil {
		return nil
	}
	before, err := l.Attempt(ctx, owner, attempt)
	if err != nil {
		return err
	}
	err = l.transact(ctx, "note-request-id", func(tx pgx.Tx, _ bool) error {
		if _, err := l.q.LockJob(ctx, tx, db.LockJobParams{OwnerID: owner, ID: before.JobID}); err != nil {
			return notFound(err)
		}
		n, err := l.q.NameAttemptIfUnnamed(ctx, tx, db.NameAttemptIfUnnamedParams{
			OwnerID: owner, ID: attempt, ProviderRequestID: *name})
		if err != nil {
			return err
		}
		if n == 0 { // it has one
			return errNothingToCommit
		}
		return l.q.TouchJob(ctx, tx, db.TouchJobParams{OwnerID: owner, ID: before.JobID})
	})
	if err == nil {
		l.changed(owner, before.JobID)
	}
	return err
}

func (l *Ledger) answerSettlesNothing(ctx context.Context, on db.DBTX, owner, attempt uuid.UUID) error {
	return l.q.AnswerSettlesNothing(ctx, on, db.AnswerSettlesNothingParams{OwnerID: owner, AttemptID: attempt})
}

// dropAnswer drops the bytes that were kept until the verdict, if there are any.
func (s *step) dropAnswer(a Attempt) error {
	n, err := s.l.q.DropAnswer(s.ctx, s.tx, db.DropAnswerParams{OwnerID: a.OwnerID, AttemptID: a.ID})
	s.wrote = s.wrote || n > 0
	return err
}

// dropIfEnded drops what was kept of an attempt that has ended and settles
// nothing.
func (s *step) dropIfEnded(a Attempt) error {
	n, err := s.l.q.DropAnswerIfEnded(s.ctx, s.tx, db.DropAnswerIfEndedParams{OwnerID: a.OwnerID, AttemptID: a.ID})
	s.wrote = s.wrote || n > 0
	return err
}
