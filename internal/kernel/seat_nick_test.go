package kernel_test

import (
	"errors"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/kernel"
)

// Nobody sits under the name of somebody else.
func TestANickIsNobodyElsesName(t *testing.T) {
	w, _ := taped(t, nil)
	amy, bot := w.member("amy", kaijutsu.RightEdit), w.member("bot", kaijutsu.RightEdit)
	if _, err := w.kernel.JoinSeat(t.Context(), from(bot, "1"), kernel.SeatSpec{Nick: "amy"}); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("bot as amy: %v, want a conflict", err)
	}
	for _, nick := range []string{"", "amy", "amy's laptop"} {
		if _, err := w.kernel.JoinSeat(t.Context(), from(amy, "1"), kernel.SeatSpec{Nick: nick}); err != nil {
			t.Errorf("amy as %q: %v", nick, err)
		}
	}
}
