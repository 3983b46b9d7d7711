package provenance

import (
	"cmp"
	"context"
	"slices"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/op"
)

// maxEdgeBlocks is how many blocks of an edge are named.
const maxEdgeBlocks = 100

// Edge says how often drifts of one kind went from one context to another, as
// the blocks there say that still show.
type Edge struct {
	// FromKernel is the kernel of the source, "" for this one; From its UUID
	// there, and FromDoc its document when it is of this kernel.
	FromKernel, From string
	FromDoc          kaijutsu.DocumentID
	// Hidden says that the caller may not read the source: it is not named.
	// Hidden sources of one target are one edge.
	Hidden bool
	To     kaijutsu.DocumentID
	Kind   drift.Kind
	Count  int
	Last   time.Time
	// Blocks are in the target, the newest last; at most the newest 100.
	Blocks []blocks.ID
}

// way is what edges are told apart by.
type way struct {
	kernel, context string
	hidden          bool
	kind            drift.Kind
}

// Edges returns who drifted to whom: what the caller may read of the targets.
// They are ordered by the target, then by the source, then by the kind. What a
// fork or an import brought makes no edge, nor does a block that is deleted or
// says nothing of its source.
func (ix *Index) Edges(ctx context.Context, c op.Call) ([]Edge, error) {
	if err := ix.Settle(ctx); err != nil {
		return nil, err
	}
	may := make(map[string]bool) // by source
	var edges []Edge
	for _, doc := range ix.citingDocs() {
		if ix.cfg.Kernel.MayRead(c, doc) {
			edges = append(edges, ix.edgesTo(c, doc, may)...)
		}
	}
	return edges, nil
}

func (ix *Index) edgesTo(c op.Call, doc kaijutsu.DocumentID, may map[string]bool) []Edge {
	byWay := make(map[way][]*entry)
	for _, e := range ix.drifts(doc) {
		w := way{kernel: e.drift.kernel, context: e.drift.context, kind: e.drift.kind}
		if w.kernel == "" && !ix.mayRead(c, w.context, may) {
			w.context, w.hidden = "", true
		}
		byWay[w] = append(byWay[w], e)
	}
	edges := make([]Edge, 0, len(byWay))
	for w, list := range byWay {
		slices.SortFunc(list, func(a, b *entry) int {
			return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.number, b.number))
		})
		e := Edge{
			FromKernel: w.kernel, From: w.context, Hidden: w.hidden, To: doc, Kind: w.kind,
			Count: len(list), Last: list[len(list)-1].at,
		}
		if w.kernel == "" && !w.hidden {
			e.FromDoc, _ = documentOf(w.context)
		}
		for _, b := range list[max(0, len(list)-maxEdgeBlocks):] {
			e.Blocks = append(e.Blocks, b.id)
		}
		edges = append(edges, e)
	}
	slices.SortFunc(edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.FromKernel, b.FromKernel), cmp.Compare(a.From, b.From), cmp.Compare(a.Kind, b.Kind))
	})
	return edges
}

// drifts returns the letters of a document that say where they come from.
func (ix *Index) drifts(doc kaijutsu.DocumentID) []*entry {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	b := ix.books[doc]
	if b == nil || b.letters == 0 {
		return nil
	}
	var list []*entry
	for _, e := range b.entries {
		if e.letter() && e.drift.context != "" {
			list = append(list, e)
		}
	}
	return list
}

// mayRead reports whether a caller may read a context of this kernel.
func (ix *Index) mayRead(c op.Call, context string, known map[string]bool) bool {
	may, ok := known[context]
	if !ok {
		doc, is := documentOf(context)
		may = is && ix.cfg.Kernel.MayRead(c, doc)
		known[context] = may
	}
	return may
}
