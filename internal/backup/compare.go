package backup

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/changegraph"
	"kaijutsu/internal/store"
)

// CompareOptions say what is not expected to be the same.
type CompareOptions struct {
	// Without are documents that are not in the store.
	Without map[kaijutsu.DocumentID]bool
	// LeftOut is a prefix of records that are not in the store; "" for none.
	LeftOut string
	// Progress is told how far it is; nil: nobody is.
	Progress func(Progress)
}

// Comparison says what was compared and found to be the same.
type Comparison struct {
	Documents int
	Changes   uint64 // whose hashes were computed from their bytes
	Bytes     uint64 // of these
	Actors    uint64
	Records   int
	Deleted   int
}

// namedDifferences is how many differences an error names.
const namedDifferences = 20

// Compare holds a store against what a run holds: that documents, records and
// deletions are the same ones, and of each document that it can be taken apart,
// that the changes in it have the hashes by which others depend on them, that
// their heads, number, anchor and base are those of the index, and that its
// actors are the same principals. The error names what differs and wraps
// kaijutsu.ErrInvalid.
func Compare(ctx context.Context, st *store.Store, x *Index, o CompareOptions) (Comparison, error) {
	m, err := st.Moment(ctx)
	if err != nil {
		return Comparison{}, fmt.Errorf("compare: %w", err)
	}
	defer m.Close()
	c := &comparing{st: st, index: x, o: o}
	for _, part := range []func(context.Context, *store.Moment) error{c.documents, c.records, c.deleted} {
		if err := part(ctx, m); err != nil {
			return c.same, fmt.Errorf("compare: %w", err)
		}
	}
	if n := len(c.different); n > 0 {
		named := c.different[:min(n, namedDifferences)]
		return c.same, fmt.Errorf("%d differences from what was backed up: %s: %w", n, strings.Join(named, "; "), kaijutsu.ErrInvalid)
	}
	return c.same, nil
}

type comparing struct {
	st    *store.Store
	index *Index
	o     CompareOptions

	mu        sync.Mutex // over what follows
	same      Comparison
	different []string
}

func (c *comparing) differ(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.different = append(c.different, fmt.Sprintf(format, args...))
}

func (c *comparing) documents(ctx context.Context, m *store.Moment) error {
	here := map[kaijutsu.DocumentID]bool{}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(runtime.GOMAXPROCS(0), 2))
	for e, err := range m.Extents() {
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return errors.Join(err, g.Wait())
		}
		here[e.Doc] = true
		h := c.index.find(e.Doc)
		if h == nil || c.o.Without[e.Doc] {
			c.differ("document %s was not backed up", e.Doc.Name())
			continue
		}
		g.Go(func() error { return c.document(ctx, e, h) })
	}
	for _, h := range c.index.Documents {
		if !here[h.Doc] && !c.o.Without[h.Doc] {
			c.differ("document %s is missing", h.Doc.Name())
		}
	}
	return g.Wait()
}

func (c *comparing) document(ctx context.Context, e store.Extent, h *Held) error {
	name := e.Doc.Name()
	if !sameOrigin(e, h.Extent) || e.Changes != h.Changes || e.Actors != h.Actors || !e.Heads.Equal(h.Heads) {
		c.differ("document %s has %d changes up to %v, want %d up to %v", name, e.Changes, e.Heads, h.Changes, h.Heads)
		return nil
	}
	r, err := readDocument(ctx, c.st, e.Doc)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		c.differ("document %s: %v", name, err)
		return nil
	}
	switch {
	case uint64(r.graph.Len()) != h.Before+h.Changes:
		c.differ("document %s holds %d changes, want %d", name, r.graph.Len(), h.Before+h.Changes)
	case !r.graph.Heads().Equal(h.Heads):
		c.differ("document %s comes to heads %v, want %v", name, r.graph.Heads(), h.Heads)
	case h.Anchor != (kaijutsu.ChangeHash{}) && !r.graph.Has(h.Anchor):
		c.differ("document %s lacks its anchor", name)
	case digestActors(r.actors) != h.Authors:
		c.differ("document %s has other actors", name)
	default:
		c.mu.Lock()
		defer c.mu.Unlock()
		c.same.Documents++
		c.same.Changes += h.Changes
		c.same.Actors += h.Actors
		c.same.Bytes += r.bytes
		if c.o.Progress != nil {
			c.o.Progress(Progress{Documents: uint64(c.same.Documents), Of: uint64(len(c.index.Documents)), Bytes: int64(c.same.Bytes)})
		}
	}
	return nil
}

// graphOf is a document taken apart.
type graphOf struct {
	graph  *changegraph.Graph
	actors []store.Actor // its own rows
	bytes  uint64
}

// readDocument takes a document apart, from the bottom of what it rests on: every
// hash is computed from bytes.
func readDocument(ctx context.Context, st *store.Store, doc kaijutsu.DocumentID) (graphOf, error) {
	r := graphOf{graph: changegraph.New()}
	d, err := st.Load(ctx, doc)
	if err != nil {
		return r, err
	}
	r.actors = d.Actors
	if d.Base != nil {
		if err := r.rest(ctx, st, d.Base); err != nil {
			return r, err
		}
	}
	if d.Snapshot != nil {
		changes, err := amfile.DecodeDocument(d.Snapshot.Chunk)
		if err != nil {
			return r, fmt.Errorf("snapshot: %w", err)
		}
		for _, c := range changes {
			if err := r.graph.RestoreChange(c); err != nil {
				return r, fmt.Errorf("snapshot: %w", err)
			}
			r.bytes += uint64(len(c.Raw))
		}
	}
	for _, c := range d.Changes {
		if err := r.graph.Restore(c.Raw); err != nil {
			return r, err
		}
		if got := r.graph.Hash(r.graph.Len() - 1); got != c.Hash {
			return r, fmt.Errorf("change %d has hash %v, want %v: %w", c.Index, got, c.Hash, kaijutsu.ErrInvalid)
		}
		r.bytes += uint64(len(c.Raw))
	}
	return r, nil
}

// rest takes in what a document rests on.
func (r *graphOf) rest(ctx context.Context, st *store.Store, base *store.Base) error {
	under, err := readDocument(ctx, st, base.Doc)
	if err != nil {
		return fmt.Errorf("base %s: %w", base.Doc.Name(), err)
	}
	for _, h := range base.Heads {
		if !under.graph.Has(h) {
			return fmt.Errorf("base %s holds no change %v: %w", base.Doc.Name(), h, kaijutsu.ErrInvalid)
		}
	}
	in := under.graph.AncestryOf(base.Heads)
	for i := range under.graph.Len() {
		if !in.Has(i) {
			continue
		}
		if err := r.graph.Restore(under.graph.Raw(i)); err != nil {
			return fmt.Errorf("base %s: %w", base.Doc.Name(), err)
		}
	}
	if uint64(r.graph.Len()) != base.Changes {
		return fmt.Errorf("base %s: %d changes, want %d: %w", base.Doc.Name(), r.graph.Len(), base.Changes, kaijutsu.ErrInvalid)
	}
	return nil
}

func (c *comparing) records(_ context.Context, m *store.Moment) error {
	want := map[string][32]byte{}
	for _, r := range c.index.Records {
		if c.o.LeftOut == "" || !strings.HasPrefix(r.Name, c.o.LeftOut) {
			want[r.Name] = r.SHA256
		}
	}
	for r, err := range m.Records() {
		if err != nil {
			return err
		}
		digest, ok := want[r.Name]
		switch {
		case !ok:
			c.differ("record %q was not backed up", r.Name)
		case digest != sum(r.Value):
			c.differ("record %q is another", r.Name)
		default:
			c.same.Records++
		}
		delete(want, r.Name)
	}
	for name := range want {
		c.differ("record %q is missing", name)
	}
	return nil
}

func (c *comparing) deleted(_ context.Context, m *store.Moment) error {
	want := map[kaijutsu.DocumentID]bool{}
	for _, doc := range c.index.Deleted {
		want[doc] = true
	}
	for doc, err := range m.Deleted() {
		if err != nil {
			return err
		}
		if !want[doc] {
			c.differ("document %s is noted as deleted, and was not", doc.Name())
		} else {
			c.same.Deleted++
		}
		delete(want, doc)
	}
	for doc := range want {
		c.differ("document %s is not noted as deleted", doc.Name())
	}
	return nil
}
