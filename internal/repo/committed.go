package repo

import (
	"kaijutsu"
	"kaijutsu/blocks"
)

// Committed says what is on disk since the last one of the document.
type Committed struct {
	Doc     kaijutsu.DocumentID
	Heads   kaijutsu.Heads
	Version uint64 // changes that the document holds
	// Deltas are what the changes did to the blocks, in order. They are known
	// while the read model is open; else All is true and anything may have
	// changed.
	Deltas []Delta
	All    bool
	// Deleted says that the document is gone for good; only Doc is set.
	Deleted bool
}

// Delta says what one change did to the blocks, and who made it: By, or
// somebody unknown whose changes came Via a relay or an import.
type Delta struct {
	blocks.Delta
	By, Via kaijutsu.Principal
}

// tell tells whoever wants to know what is on disk now.
func (d *document) tell(st *staged) {
	if d.repo.cfg.Committed == nil {
		return
	}
	c := Committed{Doc: d.id, Heads: d.graph.Heads(), Version: uint64(d.graph.Len()), Deltas: st.deltas, All: st.all}
	if st.all {
		c.Deltas = nil
	}
	d.repo.cfg.Committed(c)
}
