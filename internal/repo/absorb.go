package repo

import (
	"context"
	"fmt"
	"slices"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/store"
)

// Signer says who an actor is, and through whom it came; zero when it came
// itself.
type Signer struct{ By, Via kaijutsu.Principal }

// Delivery is what another node brings of a document.
type Delivery struct {
	// Node is the storage id of the node, for logs.
	Node string
	// Changes are decoded, by amfile.DecodeChange, in any order. Decoded they may
	// take far more memory than their bytes: it is for the caller to bring many
	// operations in portions (amfile.CountOps), of which later ones may depend on
	// earlier ones or the other way round.
	Changes []*amfile.Change
	// Signers says who their actors are. Nothing is noted of an actor that is
	// missing.
	Signers map[kaijutsu.ActorID]Signer
	// Base says that the document is a fork: when it is not here and the
	// base's heads are, it is made resting on them, and Changes begin with its
	// anchor. It is ignored for a document that is here.
	Base *store.Base
	// Anchor is the anchor of the document, as Origin of the other node tells;
	// zero when it has none or it is not known. Changes that come before it may
	// belong to another context: that of an import, or of what was forked.
	Anchor kaijutsu.ChangeHash
}

// Absorbed says what came of a Delivery, on disk.
type Absorbed struct {
	// Taken is how many changes the document gained: of the delivery, and those
	// that had waited for them.
	Taken int
	// Missing are changes that are to be brought before those that wait can be
	// taken; of very many some. Those that wait are kept in memory within
	// bounds and have to be brought again after a restart.
	Missing []kaijutsu.ChangeHash
	Heads   kaijutsu.Heads
}

// One request to the owner takes no more than this, so that others get their
// turn.
const (
	absorbChanges = 500
	absorbBytes   = 512 << 10
)

// Absorb takes changes that another node has accepted, and returns when they
// are on disk; nobody sees them before. They come in any order and any number
// of times. Each is validated as one that a peer sends, and has to be of this
// document; who may write was decided where it was made. What is taken gets
// entries of the journal that say so.
//
// A change that is not taken ends the delivery: the error names it and wraps
// kaijutsu.ErrInvalid, ErrConflict or ErrTooLarge; what was taken before stays,
// and Absorbed counts it. The error wraps ErrDeleted for a document that was
// deleted here, ErrUnavailable when the disk refuses.
func (r *Repo) Absorb(ctx context.Context, id kaijutsu.DocumentID, in Delivery) (Absorbed, error) {
	var out Absorbed
	fail := func(err error) (Absorbed, error) {
		return out, fmt.Errorf("changes of document %s from node %s: %w", id, in.Node, err)
	}
	if err := in.check(); err != nil {
		return fail(err)
	}
	r.probe(ctx, id, kaijutsu.Principal{}, in.Changes)
	d, err := r.acquire(id)
	if err != nil {
		return fail(err)
	}
	defer r.release(d)
	base, giveBack, err := r.borrow(ctx, d, in)
	if err != nil {
		return fail(err)
	}
	defer giveBack()
	if base != nil {
		in.Anchor = in.Changes[0].Hash
	}
	who := newAbsorption(in)
	for first := true; first || len(in.Changes) > 0; first = false {
		n := in.part()
		reply, came := make(chan error, 1), make(chan Absorbed, 1)
		a := absorb{who: who, changes: in.Changes[:n], base: base, came: came, reply: reply}
		in.Changes, base = in.Changes[n:], nil
		a.last = len(in.Changes) == 0
		err := d.await(ctx, a, reply)
		select {
		case part := <-came:
			part.Taken += out.Taken
			out = part
		default: // nothing came of it, or nobody waited for it
		}
		if err != nil {
			return fail(err)
		}
	}
	return out, nil
}

func (in *Delivery) check() error {
	for i, c := range in.Changes {
		if c == nil || len(c.Actors) == 0 || len(c.Raw) == 0 {
			return fmt.Errorf("change %d of %d is empty: %w", i+1, len(in.Changes), kaijutsu.ErrInvalid)
		}
		if len(c.Ops) == 0 && amfile.CountOps(c.Raw) > 0 {
			return fmt.Errorf("change %d of %d is not decoded: %w", i+1, len(in.Changes), kaijutsu.ErrInvalid)
		}
	}
	for actor, s := range in.Signers {
		for _, p := range []kaijutsu.Principal{s.By, s.Via} {
			if !p.IsZero() && (p.Name == "" || len(p.Name) > maxSigner || len(p.Kind) > maxSigner) {
				return fmt.Errorf("signer of actor %s: principal %.64q of kind %.64q: %w", actor, p.Name, p.Kind, kaijutsu.ErrInvalid)
			}
		}
	}
	return nil
}

// maxSigner bounds a principal's name and kind, in bytes.
const maxSigner = 512

// part returns how many changes the next request takes.
func (in *Delivery) part() int {
	bytes := 0
	for i, c := range in.Changes {
		if bytes += len(c.Raw); i == absorbChanges || i > 0 && bytes > absorbBytes {
			return i
		}
	}
	return len(in.Changes)
}

// absorb is a request: part of a delivery.
type absorb struct {
	who     *absorption
	changes []*amfile.Change
	base    *store.Base // of a document that is not here
	last    bool

	out   Absorbed
	err   error // why it ended
	came  chan<- Absorbed
	reply chan<- error
}

// answer replies to a delivery whose changes are on disk, or are not.
func (a absorb) answer(err error) {
	if err == nil {
		a.came <- a.out
		err = a.err
	}
	a.reply <- err
}

// absorb gives the changes of a delivery to the graph.
func (d *document) absorb(a absorb, st *staged) {
	if d.failed != nil {
		a.reply <- d.failed
		return
	}
	if d.readOnly != nil {
		a.reply <- d.readOnly
		return
	}
	retry := func() {}
	if a.base != nil {
		retry = d.graph.TakeWaiting()
		if err := d.restOn(a.base, st); err != nil {
			retry()
			a.reply <- err
			return
		}
	}
	before := len(st.changes)
	for _, c := range a.changes {
		added, err := d.graph.AddFrom(a.who.state, c, noOptions)
		if err != nil {
			a.err = err
			break
		}
		if len(added) == 0 && !d.graph.Has(c.Hash) {
			a.who.waiting = append(a.who.waiting, c.Hash)
		}
	}
	if d.newBase != nil && len(st.changes) == 0 {
		d.forgetBase()
		st.from, st.before = 0, nil
	}
	retry()
	a.out.Taken = len(st.changes) - before
	if a.last {
		a.out.Missing = d.graph.Missing(a.who.waiting)
	}
	a.out.Heads = slices.Clone(d.graph.Heads())
	st.absorbed = append(st.absorbed, a)
}
