package contract

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
)

func equalToAny(a any, others ...any) (bool, error) {
	if len(others) == 0 {
		return false, errors.New("eq needs two values")
	}
	for _, other := range others {
		if same, err := equal(a, other); same || err != nil {
			return same, err
		}
	}
	return false, nil
}

// equal compares by value: 1, 1.0 and 1e0 are equal. Values of different kinds
// are not; null and what is missing are nil.
func equal(a, b any) (bool, error) {
	for _, v := range []any{a, b} {
		switch v.(type) {
		case []any, map[string]any:
			return false, errors.New("lists and objects cannot be compared")
		}
	}
	if order, err := compare(a, b); err == nil {
		return order == 0, nil
	}
	if x, ok := a.(bool); ok {
		y, ok := b.(bool)
		return ok && x == y, nil
	}
	return isNothing(a) && isNothing(b), nil
}

func isNothing(v any) bool {
	_, isNull := v.(*null)
	return isNull || v == nil
}

// compare orders two numbers by value, or two texts by their characters.
func compare(a, b any) (int, error) {
	if x, ok := a.(string); ok {
		if y, ok := b.(string); ok {
			return strings.Compare(x, y), nil
		}
	}
	x, xok := numberText(a)
	y, yok := numberText(b)
	if !xok || !yok {
		return 0, fmt.Errorf("what is %s has no order with what is %s", kindOf(a), kindOf(b))
	}
	m, _ := new(big.Rat).SetString(x) // both are JSON's numbers, which exactjson bounds
	n, _ := new(big.Rat).SetString(y)
	return m.Cmp(n), nil
}
