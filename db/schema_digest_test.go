package db

import "testing"

func TestTheSchemaDigestIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	first, err := SchemaDigest()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := SchemaDigest(); err != nil || again != first || len(first) != 64 {
		t.Errorf("%q, then %q: %v", first, again, err)
	}
}
