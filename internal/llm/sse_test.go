package llm

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"kaijutsu/drift"
)

func TestEvents(t *testing.T) {
	tests := []struct {
		name, stream string
		want         []string // type=data
	}{
		{"the examples of the specification", ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n", []string{"=first event", "=second event", "= third event"}},
		{"empty data", "data\n\ndata\ndata\n\ndata:", []string{"=", "=\n"}},
		{"several lines", "event: add\ndata: YHOO\ndata: +2\ndata: 10\n\n", []string{"add=YHOO\n+2\n10"}},
		{"several lines that end with CR LF", "event: add\r\ndata: 1\r\ndata: 2\r\n\r\n", []string{"add=1\n2"}},
		{"a type without data is no event", "event: lonely\n\ndata: x\n\n", []string{"=x"}},
		{"the last type counts", "event: a\nevent: b\ndata: x\n\n", []string{"b=x"}},
		{"ends of lines of all kinds", "data: a\r\n\r\ndata: b\r\rdata: c\n\ndata: d\r\n\n", []string{"=a", "=b", "=c", "=d"}},
		{"no blank line at the end", "data: a\n\ndata: lost\n", []string{"=a"}},
		{"fields of nobody", "datax: a\n data: b\nDATA: c\ndata: d\n\n", []string{"=d"}},
		{"a colon in the data", "data: {\"a\": 1}\n\n", []string{`={"a": 1}`}},
	}
	for _, tt := range tests {
		for how, r := range map[string]io.Reader{
			"whole": strings.NewReader(tt.stream), "byte by byte": iotest.OneByteReader(strings.NewReader(tt.stream)),
			"after a mark": strings.NewReader("\ufeff" + tt.stream),
		} {
			t.Run(tt.name+"/"+how, func(t *testing.T) {
				var got []string
				e := newEvents(r)
				for {
					kind, data, err := e.next()
					if err != nil {
						if err != io.EOF {
							t.Errorf("error = %v, want the end", err)
						}
						break
					}
					got = append(got, kind+"="+string(data))
				}
				if !slices.Equal(got, tt.want) {
					t.Errorf("events = %q, want %q", got, tt.want)
				}
			})
		}
	}
}

// FuzzRead: whatever a server streams, reading it ends, with an answer within
// bounds or with an error.
func FuzzRead(f *testing.F) {
	for _, s := range speeches {
		var b strings.Builder
		s.begin(&b)
		s.delta(&b, "héllo 😀")
		s.end(&b, s.stop, 5, 6)
		f.Add(b.String())
		f.Add("event: error\ndata: " + s.problem("overloaded_error", "x", "y") + "\n\n")
	}
	f.Add(`data: {"choices":[{"delta":{"content":"\ud83d"},"finish_reason":"stop"}],"usage":{"prompt_tokens":-9223372036854775808}}` + "\r\r")
	f.Fuzz(func(t *testing.T, stream string) {
		for _, w := range []wire{&messages{}, &completions{}} {
			a := &answer{}
			how, err := w.read(newEvents(strings.NewReader(stream)), a)
			if err == nil {
				_, err = a.whole(how)
			}
			var failed *failure
			if err != nil && !errors.As(err, &failed) && err != io.EOF && err != errLongEvent {
				t.Errorf("error = %v, want one that is known", err)
			}
			if a.text.Len() > drift.MaxContent || a.spent() < 0 {
				t.Errorf("%d bytes, %d tokens: want them bounded", a.text.Len(), a.spent())
			}
		}
		parseProblem([]byte(stream)) // must not panic
	})
}
