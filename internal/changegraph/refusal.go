package changegraph

import (
	"errors"
	"fmt"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// Refusal says which change was not taken and why. It wraps
// kaijutsu.ErrInvalid, kaijutsu.ErrConflict, kaijutsu.ErrTooLarge or what Judge
// said.
type Refusal struct {
	Hash   kaijutsu.ChangeHash
	Actor  kaijutsu.ActorID
	Seq    uint64
	Rule   int    // of the list in package amfile; 0 for what is not on it
	Reason string // for people
	// Judged says that the change is well formed, but not for this document or
	// not for this peer to bring, or depends on such a one.
	Judged bool

	kind    error
	said    bool // Reason ends with kind
	passing bool // it may be taken at another time
	denied  bool // another peer may bring it
}

// Error names the change, the rule and the reason.
func (r *Refusal) Error() string {
	text := fmt.Sprintf("change %v (actor %v, seq %d): ", r.Hash, r.Actor, r.Seq)
	if r.Rule > 0 {
		text += fmt.Sprintf("rule %d: ", r.Rule)
	}
	text += r.Reason
	if !r.said {
		text += fmt.Sprintf(": %v", r.kind)
	}
	return text
}

// Unwrap returns the sentinel.
func (r *Refusal) Unwrap() error { return r.kind }

// refuse returns a refusal of c that repeating cannot help.
func refuse(c *amfile.Change, rule int, format string, args ...any) *Refusal {
	return &Refusal{Hash: c.Hash, Actor: c.Author(), Seq: c.Seq, Rule: rule, Reason: fmt.Sprintf(format, args...), kind: kaijutsu.ErrInvalid}
}

// refuseFor returns the refusal that an error of package amfile means.
func refuseFor(c *amfile.Change, err error) *Refusal {
	r := refuse(c, 0, "%v", err)
	var rule *amfile.RuleError
	if errors.As(err, &rule) {
		r.Rule, r.Reason = rule.Rule, rule.Reason
	}
	if errors.Is(err, kaijutsu.ErrTooLarge) {
		r.kind = kaijutsu.ErrTooLarge
	}
	return r
}

// refusals remembers the last changes that were refused for good, so that
// peers are not asked for them again and what depends on them is refused too.
type refusals struct {
	byHash map[kaijutsu.ChangeHash]*Refusal
	order  []kaijutsu.ChangeHash // a ring, once it is full
	next   int
}

func (r *refusals) init() { *r = refusals{} }

func (r *refusals) len() int { return len(r.byHash) }

func (r *refusals) find(h kaijutsu.ChangeHash) *Refusal {
	if len(r.byHash) == 0 {
		return nil
	}
	return r.byHash[h]
}

func (r *refusals) add(refusal *Refusal) {
	if refusal.passing || r.byHash[refusal.Hash] != nil {
		return
	}
	if r.byHash == nil {
		r.byHash = make(map[kaijutsu.ChangeHash]*Refusal)
	}
	if len(r.order) < maxRefused {
		r.order = append(r.order, refusal.Hash)
	} else {
		delete(r.byHash, r.order[r.next])
		r.order[r.next] = refusal.Hash
		r.next = (r.next + 1) % maxRefused
	}
	r.byHash[refusal.Hash] = refusal
}
