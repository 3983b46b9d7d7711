package llm

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"kaijutsu"
)

// budget bounds the tokens that begin to be used in a window of time. It is safe
// for concurrent use.
type budget struct {
	limit  int // 0: no bound
	window time.Duration
	now    func() time.Time

	mu   sync.Mutex
	used []*spending // oldest first; guarded by mu
}

// spending is what one attempt uses: what it may need while it is under way, then
// what it did.
type spending struct {
	at     time.Time
	tokens int // guarded by budget.mu
}

func newBudget(limit int, window time.Duration, now func() time.Time) *budget {
	return &budget{limit: limit, window: window, now: now}
}

// reserve sets tokens aside. The error says when there will be as many, and wraps
// kaijutsu.ErrUnavailable; kaijutsu.ErrTooLarge when there never will be.
func (b *budget) reserve(tokens int) (*spending, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	b.used = slices.DeleteFunc(b.used, func(s *spending) bool { return s.tokens == 0 || !now.Before(s.at.Add(b.window)) })
	if b.limit > 0 {
		if tokens > b.limit {
			return nil, fmt.Errorf("this needs up to %d tokens, more than the whole budget of %d for %v: distil less, or raise it (kj serve --llm-budget): %w", tokens, b.limit, b.window, kaijutsu.ErrTooLarge)
		}
		if free := b.freeLocked(tokens); free.After(now) {
			return nil, fmt.Errorf("the budget of %d tokens for %v is used up: this needs up to %d, which are free again at %s, in %v; wait, or raise it (kj serve --llm-budget): %w",
				b.limit, b.window, tokens, free.UTC().Format(time.RFC3339), free.Sub(now).Round(time.Second), kaijutsu.ErrUnavailable)
		}
	}
	s := &spending{now, tokens}
	b.used = append(b.used, s)
	return s, nil
}

// freeLocked returns when so many tokens are free, if nothing else is used; the
// zero time when they are.
func (b *budget) freeLocked(tokens int) time.Time {
	sum := tokens
	for _, s := range b.used {
		sum += s.tokens
	}
	var free time.Time
	for _, s := range b.used {
		if sum <= b.limit {
			break
		}
		sum -= s.tokens
		free = s.at.Add(b.window)
	}
	return free
}

// settle says what was used in fact.
func (b *budget) settle(s *spending, tokens int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s.tokens = max(tokens, 0)
}

// estimate is how many tokens a text has at most, about: tokenizers make one of
// three to four bytes of prose, and of two to three of code and digits.
func estimate(bytes int) int { return (bytes + 1) / 2 }
