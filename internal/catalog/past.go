package catalog

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

// state is a context as it is or was.
type state struct {
	heads   kaijutsu.Heads
	version uint64
	model   *blocks.Model
}

// stateNow returns a context as it is.
func stateNow(v repo.View) state { return state{v.Heads, v.Version(), v.Model()} }

// stateAt returns a context as a parameter says: "" for now, a version, a time
// or heads joined by commas. The error names the field.
func stateAt(v repo.View, field, at string) (state, error) {
	at = strings.TrimSpace(at)
	if at == "" {
		return stateNow(v), nil
	}
	if n, err := strconv.ParseUint(at, 10, 64); err == nil && len(at) < 20 {
		return stateAtVersion(v, field, n)
	}
	if t, err := time.Parse(time.RFC3339, at); err == nil {
		return stateAtTime(v, field, t)
	}
	return stateAtHeads(v, field, strings.Split(at, ","))
}

// stateAtHeads returns a context as it was at these heads.
func stateAtHeads(v repo.View, field string, words []string) (state, error) {
	heads, err := parseHeads(field, words)
	if err != nil {
		return state{}, err
	}
	m, err := v.At(heads)
	if err != nil {
		return state{}, fmt.Errorf("%s: %w", field, err)
	}
	behind, err := v.Changes(heads)
	if err != nil {
		return state{}, fmt.Errorf("%s: %w", field, err)
	}
	return state{heads, v.Version() - uint64(len(behind)), m}, nil
}

// parseHeads reads change hashes.
func parseHeads(field string, words []string) (kaijutsu.Heads, error) {
	heads := make([]kaijutsu.ChangeHash, len(words))
	for i, w := range words {
		h, err := kaijutsu.ParseChangeHash(strings.TrimSpace(w))
		if err != nil {
			return nil, &op.FieldError{
				Field: field, Reason: fmt.Sprintf("%.80q is no change hash", w),
				Hint: "want 64 hexadecimal digits, as results show under heads and change",
			}
		}
		heads[i] = h
	}
	return kaijutsu.NewHeads(heads...), nil
}

// stateAtVersion returns a context as its first n changes made it.
func stateAtVersion(v repo.View, field string, n uint64) (state, error) {
	if n == 0 || n > v.Version() {
		return state{}, &op.FieldError{Field: field, Reason: fmt.Sprintf("version %d: the context has the versions 1 to %d", n, v.Version())}
	}
	heads := v.HeadsOf(int(n))
	m, err := v.At(heads)
	return state{heads, n, m}, err
}

// stateAtTime returns a context as the changes made it that its authors' clocks
// put no later, and that rest on no later one.
func stateAtTime(v repo.View, field string, t time.Time) (state, error) {
	s, err := stateOf(v, func(made time.Time) bool { return !made.After(t) })
	if err == nil && s.version == 0 {
		err = fmt.Errorf("%s: there was nothing at %s yet: %w", field, timeText(t), kaijutsu.ErrNotFound)
	}
	return s, err
}

// stateOf returns a context as some of its changes made it: of those that in
// wants the ones whose dependencies are all among them.
func stateOf(v repo.View, in func(made time.Time) bool) (state, error) {
	log := v.Log()
	kept, open := make([]bool, log.Len()), make(map[kaijutsu.ChangeHash]bool)
	s := state{}
	for i := range log.Len() {
		c, err := log.Header(i)
		if err != nil {
			return state{}, fmt.Errorf("read change %d: %w", i, err)
		}
		if kept[i] = in(time.Unix(c.Time, 0)); !kept[i] {
			continue
		}
		for _, d := range c.Deps {
			if k, ok := log.Index(d); ok && !kept[k] {
				kept[i] = false
			}
		}
		if !kept[i] {
			continue
		}
		s.version++
		for _, d := range c.Deps {
			delete(open, d)
		}
		open[c.Hash] = true
	}
	if s.version == 0 {
		return s, nil
	}
	for h := range open {
		s.heads = append(s.heads, h)
	}
	s.heads = kaijutsu.NewHeads(s.heads...)
	var err error
	s.model, err = v.At(s.heads)
	return s, err
}
