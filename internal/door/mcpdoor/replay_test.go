package mcpdoor

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestReplay(t *testing.T) {
	r := newReplay()
	after := func(index int) string {
		var all []string
		for e, err := range r.After(t.Context(), "s", "", index) {
			if errors.Is(err, mcp.ErrEventsPurged) {
				return "forgotten"
			} else if err != nil {
				return "no session"
			}
			all = append(all, string(e))
		}
		return strings.Join(all, " ")
	}
	add := func(events ...string) {
		for _, e := range events {
			if err := r.Append(t.Context(), "s", "", []byte(e)); err != nil {
				t.Fatal(err)
			}
		}
	}
	check := func(why string, index int, want string) {
		t.Helper()
		if got := after(index); got != want {
			t.Errorf("%s: after %d there is %q, want %q", why, index, got, want)
		}
	}
	check("before it begins", -1, "no session")
	if err := r.Open(t.Context(), "s", ""); err != nil {
		t.Fatal(err)
	}
	add("a", "b", "c")
	check("in the midst", 0, "b c")
	check("at the end", 2, "")
	check("past the end", 7, "forgotten")
	add("b", "a")
	check("anew, each once", -1, "c b a")
	check("by the new numbers", 1, "a")
	for i := range maxReplay + 10 {
		add(fmt.Sprint(i))
	}
	check("what is forgotten", 2, "forgotten")
	check("what is not", maxReplay+10, fmt.Sprint(maxReplay+8, " ", maxReplay+9))
	if err := r.Append(t.Context(), "s", "other stream", []byte("x")); err != nil {
		t.Error(err)
	}
	if err := r.SessionClosed(t.Context(), "s"); err != nil {
		t.Error(err)
	}
	check("when it has ended", -1, "no session")
}
