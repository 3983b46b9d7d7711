package kaijutsu

import (
	"errors"
	"testing"
)

func TestRolesReadAsTheyPrint(t *testing.T) {
	for r := RightNone; r <= RightOwn; r++ {
		got, err := ParseRole(r.String())
		if err != nil || got != r {
			t.Errorf("ParseRole(%q) = %v, %v, want %v", r.String(), got, err, r)
		}
	}
	for _, s := range []string{"", "Owner", "admin"} {
		if got, err := ParseRole(s); !errors.Is(err, ErrInvalid) || got != RightNone {
			t.Errorf("ParseRole(%q) = %v, %v, want no right and ErrInvalid", s, got, err)
		}
	}
}
