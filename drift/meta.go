package drift

import (
	"slices"

	"kaijutsu"
)

// Meta is what a drift block says of itself. In the block it is a JSON object,
// which Encode writes and ParseMeta reads; empty fields are left out there.
type Meta struct {
	SourceKernel  string   // name of the kernel that it comes from
	SourceContext string   // UUID of the context that it comes from
	SourceTitle   string   // that context's title then
	Heads         []string // that context's heads then: full hashes
	Model         string   // that context's model, or the one that wrote the briefing
	Kind          Kind     // key drift_kind
	Principal     kaijutsu.Principal
	DriftID       string
	Number        uint64 // in the queue of the kernel that it comes from
	Citations     []Citation
	Chain         []string // where it passed, oldest first: kernel:uuid
	Finding       string   // Fingerprint of what it carries
	Act           string   // ActAsked, ActGranted, ActDeclined, ActPending or empty
	Distiller     string   // who made the text, if a distiller did
	Stale         []Mark   // which of its citations have changed
}

// Abroad returns the meta as another kernel may read it: citations that name
// no kernel name this one. Nothing of m changes.
func (m Meta) Abroad(kernel string) Meta {
	m.Citations = slices.Clone(m.Citations)
	for i, c := range m.Citations {
		if c.Handle.Kernel == "" {
			m.Citations[i].Handle.Kernel = kernel
		}
	}
	return m
}
