package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"kwit/outcome"
)

// DefaultAnswerBytes bounds an answer's body where an adapter sets no limit.
const DefaultAnswerBytes = 8 << 20

// Exchange is one call as an adapter describes it.
type Exchange struct {
	Method string
	URL    string
	Header http.Header // sent as it is
	Body   []byte
	// AnswerBytes bounds the answer's body; a longer one is lost.
	AnswerBytes int64
	// Secrets are hidden in what is stored of the answer: in its header, and in
	// the body of one that is no success. A result is kept to the byte.
	Secrets []string
	// Judge says what the answer means. Its panic is one refused answer.
	Judge func(Answer) End
}

// Do carries out one exchange over w and says how it ended. It sends at most
// once, follows no redirect, and asks the gate before the first byte; see
// [Provider] for ctx and keep.
func (w *Wire) Do(ctx context.Context, gate *Gate, x Exchange, keep func(Answer) error) End {
	request, err := http.NewRequestWithContext(ctx, x.Method, x.URL, bytes.NewReader(x.Body))
	if err != nil {
		gate.Seal()
		return End{Outcome: outcome.NotSent, Sealed: true, Detail: fmt.Sprintf("The request could not be made: %v.", err)}
	}
	request.GetBody = nil // without it nothing below could send the body again
	request.Header = x.Header
	client, conn, err := w.open(ctx, gate, request.URL)
	if err != nil {
		return unanswered(ctx, gate, nil, err)
	}
	defer func() { _ = client.Close() }()
	response, err := client.RoundTrip(request)
	if err != nil {
		return unanswered(ctx, gate, conn, err)
	}
	answer := read(response, x.AnswerBytes)
	answer.Header = MaskHeader(answer.Header, x.Secrets)
	if answer.Status/100 != 2 {
		answer.Body = []byte(Mask(string(answer.Body), x.Secrets))
	}
	return Conclude(ctx, gate, answer, x.Judge, keep)
}

// Conclude keeps an answer, judges it, and adds what the connection knows.
func Conclude(ctx context.Context, gate *Gate, answer Answer, judge func(Answer) End, keep func(Answer) error) End {
	var keepError error
	if keep != nil {
		keepError = keep(answer)
	}
	sealed := gate.Sealed()
	end := JudgeSafely(judge, answer)
	if end.Outcome == outcome.AnswerLost && !answer.Whole && ctx.Err() != nil {
		end.Outcome = outcome.Timeout
		end.Detail = fmt.Sprintf("The answer had begun (status %d), and was not complete when we stopped listening.", answer.Status)
	}
	end.Answer = &answer
	end.BytesWritten = gate.Seal()
	end.Sealed = sealed
	end.KeepError = keepError
	return end
}

// JudgeSafely asks judge, and takes its panic for an answer that cannot be
// understood: the work may well have been done.
func JudgeSafely(judge func(Answer) End, a Answer) (end End) {
	defer func() {
		if fault := recover(); fault != nil {
			end = End{
				Outcome: outcome.AnswerLost,
				Detail:  fmt.Sprintf("The provider answered %d, and reading the answer failed: %v.", a.Status, fault),
			}
		}
	}()
	return judge(a)
}

// unanswered says what a call without an answer means: by what was sent, then
// by what was seen on the connection.
func unanswered(ctx context.Context, gate *Gate, conn *guarded, cause error) End {
	sealed := gate.Sealed()
	end := End{BytesWritten: gate.Seal(), Sealed: sealed || conn != nil}
	switch {
	case end.BytesWritten == 0:
		end.Outcome, end.Detail = outcome.NotSent, notSent(ctx, gate, cause)
	case conn.refused():
		end.Outcome = outcome.NotProcessed
		end.Detail = "The provider refused the request before it looked at it (HTTP/2), so it did not act on it."
	case ctx.Err() != nil:
		end.Outcome = outcome.Timeout
		end.Detail = fmt.Sprintf("%d bytes of the request were sent, and no answer had come when we stopped listening.", end.BytesWritten)
	case sealed:
		end.Outcome = outcome.ConnectionLost
		end.Detail = fmt.Sprintf("We stopped sending after %d bytes of the request.", end.BytesWritten)
	case conn.garbled():
		end.Outcome = outcome.AnswerLost
		end.Detail = fmt.Sprintf("The request was sent, and what came back is no answer in HTTP: %v.", cause)
	default:
		end.Outcome = outcome.ConnectionLost
		end.Detail = fmt.Sprintf("%d bytes of the request were sent, then the connection was closed without an answer: %v.", end.BytesWritten, cause)
	}
	return end
}

func notSent(ctx context.Context, gate *Gate, cause error) string {
	if refusal := gate.Refusal(); refusal != nil {
		return fmt.Sprintf("Nothing was sent: %v.", refusal)
	}
	if ctx.Err() != nil {
		return "Nothing was sent: the call was given up before its first byte."
	}
	return fmt.Sprintf("Nothing was sent: %v.", cause)
}

// read takes the body of an answer, up to limit bytes.
func read(response *http.Response, limit int64) Answer {
	defer func() { _ = response.Body.Close() }()
	if limit <= 0 {
		limit = DefaultAnswerBytes
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	a := Answer{
		Status:     response.StatusCode,
		MediaType:  response.Header.Get("Content-Type"),
		Header:     response.Header,
		Body:       body,
		Whole:      err == nil,
		ReceivedAt: time.Now(),
	}
	if int64(len(body)) > limit {
		a.Body, a.Whole = body[:limit], false
	}
	if endsWithConnection(response) {
		a.Whole = a.Whole && wholeContainer(a.Body)
	}
	return a
}

// endsWithConnection: such a body shows no error when it is cut (RFC 9112,
// section 6.3, rule 8).
func endsWithConnection(r *http.Response) bool {
	return r.ProtoMajor == 1 && r.ContentLength < 0 && len(r.TransferEncoding) == 0
}

// wholeContainer tells whether body is one whole JSON object or array: a
// number or a word could be the beginning of a longer one.
func wholeContainer(body []byte) bool {
	text := bytes.TrimLeft(body, " \t\r\n")
	return len(text) > 0 && (text[0] == '{' || text[0] == '[') && json.Valid(text)
}
