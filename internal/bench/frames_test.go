package bench

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"kaijutsu"
)

// heardFrame is what a parser told of.
type heardFrame struct {
	op   byte
	text string
	size int
}

// parse feeds bytes to a parser in pieces of the sizes that next returns.
func parse(p *frameParser, b []byte, next func() int) (all []heardFrame, err error) {
	for len(b) > 0 && err == nil {
		n := min(len(b), next())
		err = p.feed(slices.Clone(b[:n]), func(op byte, message []byte, size int) error {
			all = append(all, heardFrame{op, string(message), size})
			return nil
		})
		b = b[n:]
	}
	return all, err
}

func TestFramesSurviveAnyPieces(t *testing.T) {
	masked := func(op byte, message string) []byte {
		b := appendFrame(nil, op, []byte(message), true)
		mask := b[len(b)-len(message)-4:][:4]
		copy(mask, "\x01\x02\x03\x04")
		for i := range message {
			b[len(b)-len(message)+i] ^= mask[i%4]
		}
		return b
	}
	var stream []byte
	var want []heardFrame
	for _, n := range []int{0, 1, 125, 126, 127, 65535, 65536, 200_000} {
		text := string(bytes.Repeat([]byte{byte('a' + n%26)}, n))
		stream = append(appendFrame(stream, opBinary, []byte(text), false), masked(opBinary, text)...)
		want = append(want, heardFrame{opBinary, text, n}, heardFrame{opBinary, text, n})
	}
	stream = append(stream, 0x02, 3, 'o', 'n', 'e') // not final
	stream = appendFrame(stream, opPing, []byte("?"), false)
	stream = append(stream, 0x00, 0)                // empty and not final
	stream = append(stream, 0x80, 3, 't', 'w', 'o') // the last
	want = append(want, heardFrame{opPing, "?", 1}, heardFrame{opBinary, "onetwo", 6})

	random := rand.New(rand.NewPCG(1, 2))
	for name, next := range map[string]func() int{
		"at once":         func() int { return len(stream) },
		"byte by byte":    func() int { return 1 },
		"in random parts": func() int { return 1 + random.IntN(5000) },
	} {
		t.Run(name, func(t *testing.T) {
			got, err := parse(&frameParser{}, stream, next)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%d frames, %v; want %d", len(got), err, len(want))
			}
			cut, err := parse(&frameParser{keep: 100}, stream, next)
			for i := range want {
				w := want[i]
				w.text = w.text[:min(len(w.text), 100)]
				if err != nil || len(cut) != len(want) || cut[i] != w {
					t.Fatalf("cut to 100 bytes, frame %d of %d differs: %v", i, len(cut), err)
				}
			}
		})
	}
}

func TestFramesRefuse(t *testing.T) {
	for name, b := range map[string]string{
		"an extension": "\xc2\x01a",
		"a giant":      "\x82\x7f\x7f\xff\xff\xff\xff\xff\xff\xff",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := parse(&frameParser{}, []byte(b), func() int { return len(b) }); !errors.Is(err, kaijutsu.ErrInvalid) && !errors.Is(err, kaijutsu.ErrTooLarge) {
				t.Errorf("feed = %v, want a refusal", err)
			}
		})
	}
}

func TestAcceptKey(t *testing.T) { // the example of RFC 6455 §1.3
	if got, want := acceptKey("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="; got != want {
		t.Errorf("acceptKey = %q, want %q", got, want)
	}
}
