package behaviour_test

import (
	"testing"
	"time"

	"kwit/provider/behaviour"
)

func TestOf(t *testing.T) {
	t.Parallel()
	tests := []struct {
		body string
		want behaviour.Wish
	}{
		{`{"behaviour":"late","late_after":2.5}`, behaviour.Wish{Behaviour: behaviour.Late, LateAfter: 2500 * time.Millisecond}},
		{`{"behaviour":"silent"}`, behaviour.Wish{Behaviour: behaviour.Silent}},
		{`{"behaviour":"dance"}`, behaviour.Wish{Behaviour: behaviour.Normal}},
		{`{"behaviour":7}`, behaviour.Wish{Behaviour: behaviour.Normal}},
		{`{"late_after":-1}`, behaviour.Wish{Behaviour: behaviour.Normal}},
		{`{"late_after":1e300}`, behaviour.Wish{Behaviour: behaviour.Normal}},
		{`[]`, behaviour.Wish{Behaviour: behaviour.Normal}},
		{``, behaviour.Wish{Behaviour: behaviour.Normal}},
	}
	for _, test := range tests {
		if got := behaviour.Of([]byte(test.body)); got != test.want {
			t.Errorf("Of(%s): got %+v, want %+v", test.body, got, test.want)
		}
	}
	for _, known := range behaviour.All() {
		if got := behaviour.Of([]byte(`{"behaviour":"` + string(known) + `"}`)); got.Behaviour != known {
			t.Errorf("%s is read as %s", known, got.Behaviour)
		}
	}
}
