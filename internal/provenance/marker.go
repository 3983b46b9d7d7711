package provenance

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

const (
	markerRecord  = "read/"
	markerVersion = 1
	// maxMarkerHeads bounds what a record may make us keep.
	maxMarkerHeads = 1000
)

// readers are the markers of what was read. Fields are guarded by Index.mu.
type readers struct {
	markers map[kaijutsu.DocumentID]map[kaijutsu.Principal]*marker
	// unplaced are the documents with markers that name changes which are not
	// here.
	unplaced map[kaijutsu.DocumentID]struct{}
}

func newReaders() readers {
	return readers{make(map[kaijutsu.DocumentID]map[kaijutsu.Principal]*marker), make(map[kaijutsu.DocumentID]struct{})}
}

// marker says what of a context somebody has read. Fields are guarded by
// Index.mu.
type marker struct {
	heads  kaijutsu.Heads
	placed bool                   // the letters up to number upTo are known to be before or behind it
	upTo   uint64                 //
	unread map[blocks.ID]struct{} // of those, the ones that are not behind the heads
}

type markerRow struct {
	V     int      `json:"v"`
	Heads []string `json:"heads"`
}

func markerName(p kaijutsu.Principal, doc kaijutsu.DocumentID) string {
	return markerRecord + string(p.Kind) + "/" + p.Name + "/" + doc.String()
}

// decodeMarker reads the name of a marker, and its value; nil: it is gone.
func decodeMarker(name string, value []byte) (p kaijutsu.Principal, doc kaijutsu.DocumentID, heads kaijutsu.Heads, err error) {
	kind, rest, _ := strings.Cut(strings.TrimPrefix(name, markerRecord), "/")
	i := strings.LastIndexByte(rest, '/')
	if i < 1 {
		return p, doc, nil, fmt.Errorf("name: want read/<kind>/<name>/<document>: %w", kaijutsu.ErrInvalid)
	}
	p = kaijutsu.Principal{Name: rest[:i], Kind: kaijutsu.PrincipalKind(kind)}
	if doc, err = kaijutsu.ParseDocumentID(rest[i+1:]); err != nil || value == nil {
		return p, doc, nil, err
	}
	var row markerRow
	if err := json.Unmarshal(value, &row); err != nil {
		return p, doc, nil, fmt.Errorf("%w: %w", err, kaijutsu.ErrInvalid)
	}
	if row.V != markerVersion || len(row.Heads) > maxMarkerHeads {
		return p, doc, nil, fmt.Errorf("version %d with %d heads: want version %d, and at most %d: %w", row.V, len(row.Heads), markerVersion, maxMarkerHeads, kaijutsu.ErrInvalid)
	}
	heads, err = kaijutsu.ParseHeads(row.Heads)
	return p, doc, heads, err
}

// watchMarkers follows the markers, whichever node writes them.
func (ix *Index) watchMarkers() {
	ix.unwatch = ix.cfg.Table.Watch(markerRecord, ix.followMarker)
	for name, value := range ix.cfg.Table.All(markerRecord) {
		ix.followMarker(name, value)
	}
}

// followMarker takes a marker over; nil: it is gone.
func (ix *Index) followMarker(name string, value []byte) {
	p, doc, heads, err := decodeMarker(name, value)
	if err != nil {
		ix.cfg.Log.Error("marker of what was read passed over", "record", name, "err", err)
		return
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	all := ix.markers[doc]
	if value == nil {
		delete(all, p)
		return
	}
	if all == nil {
		all = make(map[kaijutsu.Principal]*marker)
		ix.markers[doc] = all
	}
	m := &marker{heads: heads}
	if old := all[p]; old != nil { // it counts until the new one is placed
		if old.heads.Equal(heads) {
			return
		}
		m.upTo, m.unread = old.upTo, old.unread
	}
	all[p] = m
	if ix.books[doc] != nil {
		ix.touchLocked(doc)
	}
}

// placing is a marker and the letters that are to be found before or behind it.
type placing struct {
	marker  *marker
	from    uint64
	letters []*entry
	upTo    uint64

	unread   []blocks.ID
	complete bool
}

// place finds out which letters of a document its markers say were read.
func (ix *Index) place(doc kaijutsu.DocumentID) {
	list := ix.toPlace(doc)
	if len(list) == 0 {
		return
	}
	err := ix.cfg.Repo.View(ix.ctx, doc, func(v repo.View) error {
		for i := range list {
			if err := list[i].find(v); err != nil {
				return err
			}
		}
		return nil
	})
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if err != nil {
		if ix.ctx.Err() == nil {
			ix.cfg.Log.Warn("markers of what was read not placed", "document", doc, "err", err)
		}
		return
	}
	delete(ix.unplaced, doc)
	for _, p := range list {
		m := p.marker
		if p.from == 0 || m.unread == nil {
			m.unread = make(map[blocks.ID]struct{})
		}
		for _, id := range p.unread {
			m.unread[id] = struct{}{}
		}
		m.upTo, m.placed = p.upTo, p.complete
		if !p.complete {
			ix.unplaced[doc] = struct{}{}
		}
	}
}

// toPlace returns the markers of a document for which there are letters to be
// placed.
func (ix *Index) toPlace(doc kaijutsu.DocumentID) []placing {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	b := ix.books[doc]
	if b == nil {
		return nil
	}
	var list []placing
	for _, m := range ix.markers[doc] {
		p := placing{marker: m, upTo: b.last}
		if m.placed {
			p.from = m.upTo
		}
		if m.placed && p.from >= b.last {
			continue
		}
		for _, e := range b.entries {
			if e.number > p.from && !e.drift.copied {
				p.letters = append(p.letters, e)
			}
		}
		list = append(list, p)
	}
	return list
}

// find finds which letters are not behind the marker's heads. Heads that are not
// here are passed over: what is behind them only is unread until they come.
func (p *placing) find(v repo.View) error {
	log := v.Log()
	p.unread, p.complete = nil, true
	var known kaijutsu.Heads
	for _, h := range p.marker.heads {
		if _, ok := log.Index(h); ok {
			known = append(known, h)
		} else {
			p.complete = false
		}
	}
	var read repo.Past
	if len(known) > 0 {
		var err error
		if read, err = v.Past(known); err != nil {
			return err
		}
	}
	for _, e := range p.letters {
		if len(known) == 0 || !read.Has(e.change) {
			p.unread = append(p.unread, e.id)
		}
	}
	return nil
}

// unreadLocked reports whether somebody has not read a letter.
func unreadLocked(m *marker, p kaijutsu.Principal, e *entry) bool {
	switch {
	case e.by == p:
		return false
	case m == nil || e.number > m.upTo:
		return true
	}
	_, unread := m.unread[e.id]
	return unread
}

// Unread returns how many letters of a context somebody has not read. It takes
// no longer than a look-up, and does not ask for the right to read.
func (ix *Index) Unread(p kaijutsu.Principal, doc kaijutsu.DocumentID) int {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	b := ix.books[doc]
	if b == nil || b.letters == 0 {
		return 0
	}
	m := ix.markers[doc][p]
	if m == nil {
		return b.letters - b.byAuthor[p]
	}
	n := 0
	if m.upTo < b.last {
		for _, e := range b.entries {
			if e.number > m.upTo && e.letter() && e.by != p {
				n++
			}
		}
	}
	for id := range m.unread {
		if e := b.entries[id]; e != nil && e.number <= m.upTo && e.letter() && e.by != p {
			n++
		}
	}
	return n
}

// MarkRead notes that the caller has read what is in a context now. The error
// wraps kaijutsu.ErrNotFound when there is no such context or the caller may not
// read it.
func (ix *Index) MarkRead(ctx context.Context, c op.Call, doc kaijutsu.DocumentID) error {
	var heads kaijutsu.Heads
	err := ix.cfg.Kernel.View(ctx, c, doc, func(v repo.View) error {
		heads = v.Heads
		return nil
	})
	if err == nil {
		err = ix.Settle(ctx, doc)
	}
	if err != nil || ix.Unread(c.By, doc) == 0 {
		return err
	}
	if len(heads) > maxMarkerHeads {
		return fmt.Errorf("mark context %s read: %w: it has %d heads; whoever edits it joins them", doc.Name(), kaijutsu.ErrUnavailable, len(heads))
	}
	value, err := json.Marshal(markerRow{markerVersion, heads.Texts()})
	if err == nil {
		err = ix.cfg.Table.Put(ctx, c.By, markerName(c.By, doc), value)
	}
	if err != nil {
		return fmt.Errorf("mark context %s read: %w", doc.Name(), err)
	}
	return ix.Settle(ctx, doc)
}
