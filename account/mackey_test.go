package account_test

import (
	"bytes"
	"sync"
	"testing"

	"kwit/account"
)

func TestAllProcessesHaveOneMACKeyForAPurpose(t *testing.T) {
	t.Parallel()
	a, pool := newAccounts(t)
	keys := make([][]byte, 30)
	var group sync.WaitGroup
	for i := range keys {
		group.Go(func() {
			key, err := account.New(pool).MACKey(t.Context(), "callback")
			if err != nil {
				t.Error(err)
			}
			keys[i] = key
		})
	}
	group.Wait()
	for _, key := range keys {
		if len(key) != 32 || !bytes.Equal(key, keys[0]) {
			t.Fatalf("keys %x and %x", keys[0], key)
		}
	}
	if other := must(a.MACKey(t.Context(), "draft"))(t); bytes.Equal(other, keys[0]) {
		t.Error("two purposes share a key")
	}
}

func TestAMACKeyIsAskedForOnce(t *testing.T) {
	t.Parallel()
	a, pool := newAccounts(t)
	first := must(a.MACKey(t.Context(), "draft"))(t)
	pool.Close()
	if again := must(a.MACKey(t.Context(), "draft"))(t); !bytes.Equal(first, again) {
		t.Error("another key")
	}
}
