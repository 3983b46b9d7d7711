package server

import "sync"

// Bounds of what is remembered of where tokens were used.
const (
	maxPlaced = 10_000 // tokens
	maxPlaces = 64     // addresses of one
)

// places are the addresses from which each token was good since the start. The
// zero value is ready. It is safe for concurrent use.
type places struct {
	mu   sync.Mutex
	seen map[string]map[string]struct{} // guarded by mu; addresses by token
}

// known reports whether a token was good from an address.
func (p *places) known(token, from string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.seen[token][from]
	return ok
}

// note remembers that a token is good from an address, and reports whether that
// is new. What is one too many takes the place of any other.
func (p *places) note(token, from string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.seen[token][from]; ok {
		return false
	}
	if p.seen == nil {
		p.seen = make(map[string]map[string]struct{})
	}
	if p.seen[token] == nil {
		forgetOne(p.seen, maxPlaced)
		p.seen[token] = make(map[string]struct{})
	}
	forgetOne(p.seen[token], maxPlaces)
	p.seen[token][from] = struct{}{}
	return true
}

// forgetOne makes room in a map that is full.
func forgetOne[V any](m map[string]V, most int) {
	if len(m) < most {
		return
	}
	for k := range m {
		delete(m, k)
		return
	}
}
