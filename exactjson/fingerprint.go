package exactjson

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
)

// Fingerprint names an intent: what kind of work (a job type's name) with what
// input. Two intents are the same exactly when their fingerprints are (C06). It
// begins with the number of its algorithm, so that a later kwit can change the
// algorithm and still compare what it stored before.
func Fingerprint(jobType string, input Value) string {
	return "1:" + fingerprint1(jobType, input)
}

// UnknownAlgorithmError is answered for a stored fingerprint that no algorithm
// of this version has made: it is damaged, or comes from a later version.
type UnknownAlgorithmError struct{ Stored string }

// Error says what to do.
func (e *UnknownAlgorithmError) Error() string {
	return fmt.Sprintf("the fingerprint %q was made by an algorithm that this version does not know; run the version that stored it", e.Stored)
}

// MatchesFingerprint compares an intent with a stored fingerprint, by the
// stored one's own algorithm (2-ledger, "Submission"). The error is an
// *UnknownAlgorithmError.
func MatchesFingerprint(stored, jobType string, input Value) (bool, error) {
	digest, ok := strings.CutPrefix(stored, "1:")
	if !ok {
		return false, &UnknownAlgorithmError{Stored: stored}
	}
	return digest == fingerprint1(jobType, input), nil
}

// fingerprint1 is algorithm 1: SHA-256, in hex, over the job type's length in
// eight bytes, the job type, and the canonical input. The length keeps the two
// apart whatever they hold.
func fingerprint1(jobType string, input Value) string {
	h := sha256.New()
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(jobType))))
	h.Write([]byte(jobType))
	h.Write(Canonical(input))
	return hex.EncodeToString(h.Sum(nil))
}
