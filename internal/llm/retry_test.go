package llm

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"kaijutsu"
	"kaijutsu/drift"
)

// TestRetries: an answer that comes late is as good, and no server is asked sooner
// than it wants.
func TestRetries(t *testing.T) {
	after := func(value string) func(speech) http.HandlerFunc {
		return func(s speech) http.HandlerFunc {
			return s.fails(429, "rate_limit_error", "", "", "Retry-After", value)
		}
	}
	tests := []struct {
		name        string
		first       func(speech) http.HandlerFunc
		times       int
		least, most time.Duration
	}{
		{"overloaded, three times", func(s speech) http.HandlerFunc { return s.fails(529, "overloaded_error", "", "") }, 3, 2625 * time.Millisecond, 3500 * time.Millisecond},
		{"a time in seconds", after("17"), 2, 34 * time.Second, 34*time.Second + time.Millisecond},
		{"a date", func(s speech) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				s.fails(503, "", "", "", "Retry-After", time.Now().UTC().Add(40*time.Second).Format(http.TimeFormat))(w, r)
			}
		}, 1, 39 * time.Second, 40 * time.Second},
		{"a time in milliseconds goes first", func(s speech) http.HandlerFunc {
			return s.fails(429, "", "", "", "Retry-After", "17", "Retry-After-Ms", "1250")
		}, 1, 1250 * time.Millisecond, 1251 * time.Millisecond},
		{"a time that is none", after("soon"), 1, 375 * time.Millisecond, 500 * time.Millisecond},
		{"a time that is past", after("-5"), 1, 375 * time.Millisecond, 500 * time.Millisecond},
		{"a conflict that the server wants tried again", func(s speech) http.HandlerFunc {
			return s.fails(400, "", "", "", "X-Should-Retry", "true")
		}, 1, 375 * time.Millisecond, 500 * time.Millisecond},
		{"a stream that breaks half way", func(s speech) http.HandlerFunc {
			return streams(func(w http.ResponseWriter, _ *http.Request) {
				s.begin(w)
				s.delta(w, "half a ")
				cuts(w)
			})
		}, 1, 375 * time.Millisecond, 500 * time.Millisecond},
		{"silence", func(speech) http.HandlerFunc { return hangs }, 1, DefaultTimeout / 2, DefaultTimeout/2 + time.Second},
		{"silence half way", func(s speech) http.HandlerFunc {
			return streams(func(w http.ResponseWriter, r *http.Request) {
				s.begin(w)
				hangs(w, r)
			})
		}, 1, DefaultIdle, DefaultIdle + time.Second},
	}
	for _, tt := range tests {
		for _, s := range speeches {
			t.Run(s.provider+"/"+tt.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := &fake{answers: append(slices.Repeat([]http.HandlerFunc{tt.first(s)}, tt.times), s.says("late"))}
					m := f.start(t, Config{Provider: s.provider})
					began, last := time.Now(), ""
					got, err := m.Distil(t.Context(), drift.Request{Source: source(), Progress: func(s string) { last = s }})
					if err != nil || got.Text != "late" || last != "late" {
						t.Fatalf("briefing = %q, %v, last told %q", got.Text, err, last)
					}
					if took := time.Since(began); took < tt.least || took > tt.most {
						t.Errorf("it took %v, want %v to %v", took, tt.least, tt.most)
					}
					if n := len(f.requests()); n != tt.times+1 {
						t.Errorf("asked %d times, want %d", n, tt.times+1)
					}
				})
			})
		}
	}
}

// TestTimeLimits: a call ends when it should, whatever the server does.
func TestTimeLimits(t *testing.T) {
	tests := []struct {
		name     string
		answer   func(speech) http.HandlerFunc
		took     time.Duration
		attempts int
		words    string
	}{
		{"silence for ever", func(speech) http.HandlerFunc { return hangs }, time.Minute, 2, "no whole answer within 1m0s"},
		{"headers and silence", func(speech) http.HandlerFunc {
			return streams(func(w http.ResponseWriter, r *http.Request) {
				flush(w)
				hangs(w, r)
			})
		}, time.Minute, 2, "no whole answer within 1m0s"},
		{"a byte now and then", func(s speech) http.HandlerFunc {
			return streams(func(w http.ResponseWriter, r *http.Request) {
				for r.Context().Err() == nil {
					_, _ = io.WriteString(w, ":\n")
					flush(w)
					later(r.Context(), 20*time.Second)
				}
			})
		}, time.Minute, 1, "no whole answer within 1m0s"},
		{"an error, a byte at a time", func(s speech) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(400)
				for r.Context().Err() == nil {
					_, _ = io.WriteString(w, "x")
					flush(w)
					later(r.Context(), time.Second)
				}
			}
		}, time.Minute, 2, "no whole answer within 1m0s"},
		{"a time to come back that is too late", func(s speech) http.HandlerFunc {
			return s.fails(429, "rate_limit_error", "", "", "Retry-After", "3600")
		}, 0, 1, "it wants to be left alone for 1h0m0s"},
	}
	for _, tt := range tests {
		for _, s := range speeches {
			t.Run(s.provider+"/"+tt.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := &fake{answers: []http.HandlerFunc{tt.answer(s)}}
					m := f.start(t, Config{Provider: s.provider, Timeout: time.Minute})
					began := time.Now()
					_, err := m.Distil(t.Context(), drift.Request{Source: source()})
					if !errors.Is(err, kaijutsu.ErrUnavailable) || !strings.Contains(err.Error(), tt.words) {
						t.Errorf("error = %v, want unavailable and %q", err, tt.words)
					}
					if took := time.Since(began); took.Round(time.Second) != tt.took {
						t.Errorf("it took %v, want %v", took, tt.took)
					}
					if n := len(f.requests()); n != tt.attempts {
						t.Errorf("asked %d times, want %d", n, tt.attempts)
					}
				})
			})
		}
	}
}

// later waits, or until ctx ends.
func later(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// TestCancel: who goes away gets the context's own error at once, and the server
// is let go.
func TestCancel(t *testing.T) {
	for _, s := range speeches {
		gone := make(chan struct{}, 10)
		tests := map[string]http.HandlerFunc{
			"before the answer": func(w http.ResponseWriter, r *http.Request) {
				hangs(w, r)
				gone <- struct{}{}
			},
			"in the middle of it": streams(func(w http.ResponseWriter, r *http.Request) {
				s.begin(w)
				s.delta(w, "half a ")
				hangs(w, r)
				gone <- struct{}{}
			}),
			"between two attempts": func(w http.ResponseWriter, r *http.Request) {
				s.fails(429, "", "", "", "Retry-After", "60")(w, r)
				gone <- struct{}{}
			},
		}
		for name, answer := range tests {
			t.Run(s.provider+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := &fake{answers: []http.HandlerFunc{answer}}
					m := f.start(t, Config{Provider: s.provider})
					ctx, cancel := context.WithCancel(t.Context())
					began, failed := time.Now(), make(chan error, 1)
					go func() {
						_, err := m.Distil(ctx, drift.Request{Source: source()})
						failed <- err
					}()
					time.AfterFunc(5*time.Second, cancel)
					if err := <-failed; !errors.Is(err, context.Canceled) || errors.Is(err, kaijutsu.ErrUnavailable) {
						t.Errorf("error = %v, want the context's", err)
					}
					if took := time.Since(began); took != 5*time.Second {
						t.Errorf("it took %v, want 5s", took)
					}
					synctest.Wait()
					select {
					case <-gone:
					default:
						t.Error("the server is still at it")
					}
				})
			})
		}
	}
	t.Run("a deadline of the caller", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{answers: []http.HandlerFunc{hangs}}
			m := f.start(t, Config{Provider: OpenAI})
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if _, err := m.Distil(ctx, drift.Request{Source: source()}); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error = %v, want the context's", err)
			}
		})
	})
}

// TestNoRedirect: the key goes to nobody but the server that was named.
func TestNoRedirect(t *testing.T) {
	for _, s := range speeches {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{answers: []http.HandlerFunc{http.RedirectHandler("http://thief.test/v1/x", http.StatusPermanentRedirect).ServeHTTP, s.says("stolen")}}
			_, err := f.start(t, Config{Provider: s.provider}).Distil(t.Context(), drift.Request{Source: source()})
			if got := f.requests(); !errors.Is(err, kaijutsu.ErrInvalid) || len(got) != 1 {
				t.Errorf("%s: %v after %d requests, want one", s.provider, err, len(got))
			}
		})
	}
}

// TestOtherName: a server that wants the limit of tokens under its other name has
// it, without that counting as a failure, and from then on at once.
func TestOtherName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(400)
			_, _ = io.WriteString(w, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`)
		}
		f := &fake{answers: []http.HandlerFunc{refused, openAISpeech.says("one"), openAISpeech.says("two"), refused}}
		m := f.start(t, Config{Provider: OpenAI, Retries: -1, MaxTokens: 99})
		for _, want := range []string{"one", "two"} {
			if got, err := m.Distil(t.Context(), drift.Request{Source: source()}); err != nil || got.Text != want {
				t.Fatalf("briefing = %q, %v, want %q", got.Text, err, want)
			}
		}
		var names []string
		for _, r := range f.requests() {
			for _, name := range []string{"max_tokens", "max_completion_tokens"} {
				if r.body[name] == float64(99) {
					names = append(names, name)
				}
			}
		}
		if want := []string{"max_tokens", "max_completion_tokens", "max_completion_tokens"}; !slices.Equal(names, want) {
			t.Errorf("limits = %v, want %v", names, want)
		}
		if _, err := m.Distil(t.Context(), drift.Request{Source: source()}); !errors.Is(err, kaijutsu.ErrInvalid) {
			t.Errorf("a server that wants neither: %v, want invalid", err)
		}
	})
}
