package flowbus

import (
	"errors"
	"strings"
	"testing"

	"kaijutsu"
)

// TestPatterns: exact, single, multi, mixed.
func TestPatterns(t *testing.T) {
	const (
		a    = "01912b3c-0000-7000-8000-000000000001"
		b    = "01912b3c-0000-7000-8000-000000000002"
		text = "kj.main.ctx." + a + ".block.text"
		seat = "kj.main.ctx." + b + ".seat.joined"
		node = "kj.main.sys.node.left"
		far  = "kj.other.ctx." + a + ".block.text"
	)
	for _, tt := range []struct {
		pattern string
		matches []string
	}{
		{"ctx." + a + ".block.text", []string{text}},
		{"kj.main.ctx." + a + ".block.text", []string{text}},
		{"ctx.*.block.text", []string{text}},
		{"ctx.*.*.text", []string{text}},
		{"ctx.*.block.*", []string{text}},
		{"ctx.*.block.>", []string{text}},
		{"*.*.*.*", []string{text, seat}},
		{"*.*.*", []string{node}},
		{"sys.*.left", []string{node}},
		{"sys.>", []string{node}},
		{"ctx.>", []string{text, seat}},
		{"ctx." + b + ".>", []string{seat}},
		{">", []string{text, seat, node}},
		{"*.>", []string{text, seat, node}},
		{"kj.>", []string{text, seat, node}},
		{"kj.*.sys.>", []string{node}},
		{"kj.main.>", []string{text, seat, node}},
		{"*.*.seat.joined", []string{seat}},
		{"ctx.*.block.status", nil},
	} {
		t.Run(tt.pattern, func(t *testing.T) {
			p, err := ParsePattern("main", tt.pattern)
			if err != nil {
				t.Fatal(err)
			}
			for _, subject := range []string{text, seat, node, far, "", "kj", "kj.main", "kj.main.", "kj.main.ctx", text + ".", text + ".x", "kj.main." + text} {
				want := false
				for _, s := range tt.matches {
					want = want || s == subject
				}
				if wild := strings.HasSuffix(tt.pattern, ">"); wild && len(subject) > len(text) {
					continue // no event has it, and > takes any number of tokens
				}
				if subject == "kj.main.ctx" && (tt.pattern == ">" || tt.pattern == "kj.>" || tt.pattern == "kj.main.>") {
					want = true // one token
				}
				if got := p.Match(subject); got != want {
					t.Errorf("Match(%q) = %v, want %v", subject, got, want)
				}
			}
		})
	}
}

// TestPatternsThatAreWrong say which token.
func TestPatternsThatAreWrong(t *testing.T) {
	for _, tt := range []struct{ pattern, want string }{
		{"", "it is empty"},
		{"ctx..block.text", "token 2 is empty"},
		{".ctx", "token 1 is empty"},
		{"ctx.", "token 2 is empty"},
		{"ctx.>.text", `">" is token 2 of 3`},
		{">.>", `">" is token 1 of 2`},
		{"ctx.*.blo*.text", `token 3 is "blo*"`},
		{"ctx.*.block.te>", `token 4 is "te>"`},
		{"ctx.*.block text", "token 3"},
		{"ctx.*.blöck.>", "token 3"},
		{"block.>", `it begins with "block"`},
		{"kj.other.>", `the kernel here is "main"`},
		{"kj", "it ends before any subject does"},
		{"kj.main", "it ends before any subject does"},
		{"ctx.*.block.vanished", "no event has such a subject"},
		{"ctx.*", "no event has such a subject"},
		{"sys.block.>", "no event has such a subject"},
		{strings.Repeat("a", 501), "501 bytes are too many"},
	} {
		t.Run(tt.pattern, func(t *testing.T) {
			p, err := ParsePattern("main", tt.pattern)
			if !errors.Is(err, kaijutsu.ErrInvalid) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("ParsePattern = %v, %v, want ErrInvalid with %q", p, err, tt.want)
			}
		})
	}
}

// TestPatternsKnowTheirContextAndKinds holds them against every kind.
func TestPatternsKnowTheirContextAndKinds(t *testing.T) {
	one := ContextPattern("main", goldenContext)
	if id, ok := one.Context(); !ok || id != goldenContext {
		t.Errorf("Context = %v, %v, want %v", id, ok, goldenContext)
	}
	for _, s := range []string{">", "ctx.*.>", "*." + goldenContext.String() + ".>"} {
		p, err := ParsePattern("main", s)
		if err != nil {
			t.Fatal(err)
		}
		if id, ok := p.Context(); ok {
			t.Errorf("%s: Context = %v, want none", s, id)
		}
	}
	for _, s := range []string{">", "ctx.*.block.>", "sys.>", "*.*.seat.*", "ctx.*.*.deleted", one.String()} {
		p, err := ParsePattern("main", s)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range samples() {
			want := p.Match(e.Subject())
			if !traitOf[e.Kind].context {
				e.Context = goldenContext
				want = want || p.Match(e.Subject())
			}
			if got := p.May(e.Kind); got != want {
				t.Errorf("%s: May(%s) = %v, want %v", s, e.Kind, got, want)
			}
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	e := Event{Kernel: "main", Context: goldenContext, Kind: BlockText}
	subject := e.Subject()
	p, err := ParsePattern("main", "ctx.*.block.>")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if !p.Match(subject) {
			b.Fatal("it does not match")
		}
	}
}
