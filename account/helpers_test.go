package account_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"kwit/account"
	"kwit/db/dbtest"
)

const password = "a good long password"

// newAccounts returns accounts on a database of their own.
func newAccounts(t *testing.T) (*account.Accounts, *pgxpool.Pool) {
	t.Helper()
	pool := dbtest.New(t)
	return account.New(pool), pool
}

var people atomic.Int64

// addPerson adds somebody whom nobody else is called.
func addPerson(t *testing.T, a *account.Accounts) account.User {
	t.Helper()
	return must(a.Add(t.Context(), account.NewPerson{
		Email: fmt.Sprintf("person%d@example.org", people.Add(1)), Role: account.RoleUser, Password: password,
	}))(t)
}

// must reads well as must(f(x))(t).
func must[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// run changes what no method may change, such as the age of a row.
func run(t *testing.T, pool *pgxpool.Pool, sql string, args ...any) {
	t.Helper()
	if tag, err := pool.Exec(t.Context(), sql, args...); err != nil || tag.RowsAffected() == 0 {
		t.Fatalf("%s: %v, %v", sql, tag, err)
	}
}

func ask[T any](t *testing.T, pool *pgxpool.Pool, sql string, args ...any) T {
	t.Helper()
	var answer T
	ok(t, pool.QueryRow(t.Context(), sql, args...).Scan(&answer))
	return answer
}
