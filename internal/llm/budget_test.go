package llm

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"kaijutsu"
	"kaijutsu/drift"
)

// TestBudget: what calls use is counted by the provider's numbers, and a call
// that would use more than is left is not made.
func TestBudget(t *testing.T) {
	for _, s := range speeches {
		t.Run(s.provider, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fake{answers: []http.HandlerFunc{s.says("spent")}} // 150 tokens each time
				m := f.start(t, Config{Provider: s.provider, MaxTokens: 200, BudgetTokens: 1200})
				ask := func() error {
					_, err := m.Distil(t.Context(), drift.Request{Source: source()})
					return err
				}
				began, calls := time.Now(), 0
				var err error
				for ; err == nil && calls < 100; calls++ {
					err = ask()
					time.Sleep(time.Minute) // of the bubble's clock
				}
				calls--
				if !errors.Is(err, kaijutsu.ErrUnavailable) || len(f.requests()) != calls {
					t.Fatalf("after %d calls and %d requests: %v, want unavailable", calls, len(f.requests()), err)
				}
				// What a call may need is its prompt, of which two bytes are a token at
				// most, and its answer.
				system, user := drift.Transcript(source(), "")
				need := (len(system)+len(user)+1)/2 + 200
				if want := (1200-need)/150 + 1; calls != want {
					t.Errorf("%d calls were made, want %d", calls, want)
				}
				free := began.Add(time.Hour)
				has(t, err.Error(), "1200 tokens", "free again at "+free.UTC().Format(time.RFC3339), "--llm-budget")
				time.Sleep(time.Until(free) - time.Second)
				if err := ask(); !errors.Is(err, kaijutsu.ErrUnavailable) {
					t.Errorf("a second before: %v, want unavailable", err)
				}
				time.Sleep(time.Second)
				if err := ask(); err != nil {
					t.Errorf("when it is free: %v", err)
				}
			})
		})
	}
}

func TestBudgetOfFailures(t *testing.T) {
	for _, s := range speeches {
		tests := []struct {
			name   string
			answer http.HandlerFunc
			costs  bool
		}{
			{"refused", s.fails(529, "overloaded_error", "", ""), false},
			{"broken half way", streams(func(w http.ResponseWriter, _ *http.Request) {
				s.begin(w)
				s.delta(w, strings.Repeat("words ", 100))
				cuts(w)
			}), true},
			{"cut off", streams(func(w http.ResponseWriter, _ *http.Request) {
				s.begin(w)
				s.end(w, s.limit, 100, 400)
			}), true},
			{"not counted by the server", streams(func(w http.ResponseWriter, _ *http.Request) {
				s.begin(w)
				s.delta(w, strings.Repeat("words ", 100))
				if s.provider == OpenAI {
					event(w, "", chunkJSON("{}", `"stop"`))
				} else {
					event(w, "message_delta", `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`)
					event(w, "message_stop", `{"type":"message_stop"}`)
				}
			}), true},
		}
		for _, tt := range tests {
			t.Run(s.provider+"/"+tt.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := &fake{answers: []http.HandlerFunc{tt.answer}}
					m := f.start(t, Config{Provider: s.provider, MaxTokens: 200, BudgetTokens: 100_000, Retries: -1})
					got, _ := m.Distil(t.Context(), drift.Request{Source: source()}) // tested elsewhere
					if got.InputTokens != 0 || got.OutputTokens != 0 {
						t.Errorf("tokens = %d, %d, which nobody counted", got.InputTokens, got.OutputTokens)
					}
					m.budget.mu.Lock()
					used := m.budget.used[0].tokens
					m.budget.mu.Unlock()
					if tt.costs != (used > 300) {
						t.Errorf("counted %d tokens", used)
					}
				})
			})
		}
	}
}

func TestBudgetNeverEnough(t *testing.T) {
	b := newBudget(1000, time.Hour, time.Now)
	if _, err := b.reserve(1001); !errors.Is(err, kaijutsu.ErrTooLarge) {
		t.Errorf("more than all: %v, want too large", err)
	}
	if _, err := b.reserve(1000); err != nil {
		t.Errorf("all: %v", err)
	}
}

// TestBudgetOfMany: calls at one time never set aside more than there is.
func TestBudgetOfMany(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	b := newBudget(1000, time.Hour, func() time.Time { return now })
	var all sync.WaitGroup
	var mu sync.Mutex
	got := 0
	for range 64 {
		all.Go(func() {
			if _, err := b.reserve(90); err == nil {
				mu.Lock()
				got++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if got != 11 {
		t.Errorf("%d calls of 90 tokens have a place in 1000, want 11", got)
	}
	now = now.Add(time.Hour)
	if _, err := b.reserve(1000); err != nil {
		t.Errorf("an hour later: %v", err)
	}
}
