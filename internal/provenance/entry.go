package provenance

import (
	"hash/maphash"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/repo"
)

// maxWatched is how many citations of one block are watched.
const maxWatched = 64

// entry is what the index keeps of a block: a drift block, or one whose meta has
// citations. It is replaced, never changed, but for number.
type entry struct {
	id      blocks.ID
	change  kaijutsu.ChangeHash // made the block; zero: not known
	by      kaijutsu.Principal  // zero: not known
	at      time.Time
	deleted bool
	drift   *drifted // nil: it is no drift block
	cites   []cite   // all of its citations
	stale   []mark   // what the meta says of its citations
	making  *making  // nil: it cites nothing, or the cache had it

	number uint64 // grows in the order in which letters came to this node
}

// drifted is what a drift block says of itself.
type drifted struct {
	id, kernel, context, finding string
	kind                         drift.Kind
	// copied says that the block was not delivered to this context: a fork or
	// an import brought it.
	copied bool
}

// cite is a citation. One that is not watched has no key: it is left alone.
type cite struct {
	ref     int
	key     spanKey
	watched bool
	// first says that who made the block cites so: the block was made with it.
	// Any other citation may have been written by anybody who edits the context.
	first bool
}

// mark is a mark as it is compared.
type mark struct {
	ref    int
	reason string
	diff   uint64 // sum of the diff
}

// letter reports whether a block was sent to the context that holds it and
// shows.
func (e *entry) letter() bool { return e.drift != nil && !e.drift.copied && !e.deleted }

// raw is a block as it is read in the document's owner; what takes time is done
// elsewhere.
type raw struct {
	id      blocks.ID
	kind    blocks.Kind
	meta    string
	making  making // of one that cites
	deleted bool
	by      kaijutsu.Principal
	at      time.Time
	change  kaijutsu.ChangeHash
	content string // of a drift block whose meta does not say what it carries
}

// rawOf reads a block; false when it is of no interest.
func rawOf(v repo.View, made makings, s blocks.Summary) (raw, bool) {
	cites := strings.Contains(s.Meta, `"citations"`)
	if s.Kind != blocks.KindDrift && !cites {
		return raw{}, false
	}
	r := raw{id: s.ID, kind: s.Kind, meta: s.Meta, deleted: s.Deleted, at: s.Created}
	r.by, _ = v.Principal(s.Author)
	if cites {
		r.making = made.of(s.ID)
	}
	if s.Kind != blocks.KindDrift {
		return r, true
	}
	r.change, _ = v.Inserted(s.ID)
	if !strings.Contains(s.Meta, `"finding"`) {
		if b, ok := v.Model().Block(s.ID); ok && len(b.Content) <= drift.MaxContent {
			r.content = b.Content
		}
	}
	return r, true
}

// entryOf makes the entry of a block; nil when it is of no interest.
func (ix *Index) entryOf(doc kaijutsu.DocumentID, r raw) *entry {
	e := &entry{id: r.id, change: r.change, by: r.by, at: r.at, deleted: r.deleted}
	if r.kind == blocks.KindDrift {
		e.drift = driftedOf(ix.cfg.Name, doc, r)
	}
	citations, marks := drift.ReadCitations(r.meta)
	if len(citations) > 0 {
		e.making = ix.madeWith(r.making)
		e.cites = ix.citesOf(citations, e.making)
	}
	for _, m := range marks {
		e.stale = append(e.stale, markOf(m))
	}
	if e.drift == nil && len(e.cites) == 0 && len(e.stale) == 0 {
		return nil
	}
	return e
}

func driftedOf(kernel string, doc kaijutsu.DocumentID, r raw) *drifted {
	m, ok := drift.ParseMeta(r.meta)
	if !ok {
		return &drifted{finding: drift.Fingerprint(r.content)} // somebody wrote a drift block by hand
	}
	d := &drifted{id: m.DriftID, kernel: m.SourceKernel, context: m.SourceContext, finding: m.Finding, kind: m.Kind}
	if d.kernel == kernel {
		d.kernel = ""
	}
	if d.finding == "" {
		d.finding = drift.Fingerprint(r.content)
	}
	d.copied = d.id != "" && drift.BlockID(d.id, doc) != r.id
	return d
}

// citesOf returns the citations of a block that was made so.
func (ix *Index) citesOf(citations []drift.Citation, made *making) []cite {
	var out []cite
	for i, c := range citations {
		ct := cite{ref: c.Ref}
		if i < maxWatched {
			ct.key, ct.watched = ix.spanKeyOf(c.Handle)
		}
		ct.first = ct.watched && made.cited(ct.key)
		out = append(out, ct)
	}
	return out
}

var seed = maphash.MakeSeed()

// diffSum returns a number that differs for another diff, 0 for none.
func diffSum(diff string) uint64 {
	if diff == "" {
		return 0
	}
	return maphash.String(seed, diff)
}

func markOf(m drift.Mark) mark { return mark{m.Ref, m.Reason, diffSum(m.Diff)} }
