package provenance

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
)

// cacheFile is in Config.Dir. Its first line is cacheHead and the CRC-32C of
// what follows. Another layout gets another number.
const (
	cacheFile = "drifts"
	cacheHead = "kaijutsu drifts 2 "
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// cached is what the file holds.
type cached struct {
	Name string      `json:"kernel"`
	Docs []cachedDoc `json:"docs"`
	// Judged are the heads at which each cited document was judged, and the
	// marks of all who cite it written.
	Judged map[string][]string `json:"judged"`

	books  map[kaijutsu.DocumentID]*cachedBook
	judged map[kaijutsu.DocumentID]kaijutsu.Heads
}

type cachedDoc struct {
	Doc     string        `json:"doc"`
	Heads   []string      `json:"heads"`
	Entries []cachedEntry `json:"entries,omitempty"`
}

type cachedEntry struct {
	ID      string       `json:"id"`
	Change  string       `json:"change,omitempty"`
	By      string       `json:"by,omitempty"`
	Kind    string       `json:"kind,omitempty"`
	At      int64        `json:"at"`
	Deleted bool         `json:"deleted,omitempty"`
	Drift   *cachedDrift `json:"drift,omitempty"`
	Cites   []cachedCite `json:"cites,omitempty"`
	Stale   []cachedMark `json:"stale,omitempty"`
}

type cachedDrift struct {
	ID      string `json:"id,omitempty"`
	Kernel  string `json:"kernel,omitempty"`
	Context string `json:"context,omitempty"`
	Finding string `json:"finding,omitempty"`
	Kind    string `json:"kind,omitempty"`
	Copied  bool   `json:"copied,omitempty"`
}

type cachedCite struct {
	Ref    int    `json:"ref"`
	Handle string `json:"handle,omitempty"` // empty: it is left alone
	First  bool   `json:"first,omitempty"`
}

// cachedMark has no diff: until the block is read again, it counts as another.
type cachedMark struct {
	Ref    int    `json:"ref"`
	Reason string `json:"reason"`
}

// cachedBook is a document as the file has it.
type cachedBook struct {
	heads   kaijutsu.Heads
	entries []*entry
}

func (c *cached) book(doc kaijutsu.DocumentID) *cachedBook { return c.books[doc] }

// load reads the file, if there is one. One that is damaged counts as none.
func (ix *Index) load() *cached {
	c := &cached{}
	if ix.cfg.Dir == "" {
		return c
	}
	b, err := os.ReadFile(filepath.Join(ix.cfg.Dir, cacheFile))
	if err == nil {
		head, body, _ := strings.Cut(string(b), "\n")
		if want := fmt.Sprintf("%s%08x", cacheHead, crc32.Checksum([]byte(body), castagnoli)); head != want {
			err = fmt.Errorf("it is damaged, or of another release: %w", kaijutsu.ErrInvalid)
		} else if err = json.Unmarshal([]byte(body), c); err == nil {
			err = c.decode(ix)
		}
	}
	if err == nil && c.Name == ix.cfg.Name {
		return c
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		ix.cfg.Log.Warn("drifts not read from the cache: each context is read once", "file", cacheFile, "err", err)
	}
	return &cached{}
}

func (c *cached) decode(ix *Index) error {
	c.books = make(map[kaijutsu.DocumentID]*cachedBook, len(c.Docs))
	c.judged = make(map[kaijutsu.DocumentID]kaijutsu.Heads, len(c.Judged))
	for _, row := range c.Docs {
		doc, err := kaijutsu.ParseDocumentID(row.Doc)
		heads, err2 := kaijutsu.ParseHeads(row.Heads)
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		b := &cachedBook{heads: heads}
		for _, r := range row.Entries {
			e, err := r.entry(ix)
			if err != nil {
				return err
			}
			b.entries = append(b.entries, e)
		}
		c.books[doc] = b
	}
	for name, texts := range c.Judged {
		doc, err := kaijutsu.ParseDocumentID(name)
		heads, err2 := kaijutsu.ParseHeads(texts)
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		c.judged[doc] = heads
	}
	c.Docs, c.Judged = nil, nil
	return nil
}

func (r *cachedEntry) entry(ix *Index) (*entry, error) {
	e := &entry{id: blocks.ID(r.ID), at: time.Unix(r.At, 0).UTC(), deleted: r.Deleted}
	if r.By != "" {
		e.by = kaijutsu.Principal{Name: r.By, Kind: kaijutsu.PrincipalKind(r.Kind)}
	}
	if r.Change != "" {
		var err error
		if e.change, err = kaijutsu.ParseChangeHash(r.Change); err != nil {
			return nil, err
		}
	}
	if d := r.Drift; d != nil {
		e.drift = &drifted{d.ID, d.Kernel, d.Context, d.Finding, drift.Kind(d.Kind), d.Copied}
	}
	for _, c := range r.Cites {
		out := cite{ref: c.Ref, first: c.First}
		if c.Handle != "" {
			h, err := drift.ParseHandle(c.Handle)
			if err != nil {
				return nil, err
			}
			out.key, out.watched = ix.spanKeyOf(h)
		}
		e.cites = append(e.cites, out)
	}
	for _, m := range r.Stale {
		e.stale = append(e.stale, mark{m.Ref, m.Reason, 0})
	}
	return e, nil
}

func rowOf(e *entry) cachedEntry {
	r := cachedEntry{ID: string(e.id), By: e.by.Name, Kind: string(e.by.Kind), At: e.at.Unix(), Deleted: e.deleted}
	if e.change != (kaijutsu.ChangeHash{}) {
		r.Change = e.change.String()
	}
	if d := e.drift; d != nil {
		r.Drift = &cachedDrift{d.id, d.kernel, d.context, d.finding, string(d.kind), d.copied}
	}
	for _, c := range e.cites {
		row := cachedCite{Ref: c.ref, First: c.first}
		if k := c.key; c.watched {
			row.Handle = drift.Handle{Context: k.doc.Name(), Block: string(k.block), Heads: strings.Split(k.heads, ","), First: k.first, Last: k.last}.String()
		}
		r.Cites = append(r.Cites, row)
	}
	for _, m := range e.stale {
		r.Stale = append(r.Stale, cachedMark{m.ref, m.reason})
	}
	return r
}

// rows returns what is to be in the file, and whether it is another than before.
// The lock is held for one document at a time.
func (ix *Index) rows() (cached, bool) {
	ix.mu.Lock()
	changed := ix.changed
	ix.changed = false
	docs := make([]kaijutsu.DocumentID, 0, len(ix.books))
	for doc := range ix.books {
		docs = append(docs, doc)
	}
	ix.mu.Unlock()
	out := cached{Name: ix.cfg.Name, Judged: make(map[string][]string)}
	for _, doc := range docs {
		ix.mu.Lock()
		row, ok := ix.rowLocked(doc)
		ix.mu.Unlock()
		if ok {
			out.Docs = append(out.Docs, row)
		}
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.judgedLocked(out.Judged)
	for at, h := range ix.hands {
		if time.Since(h.at) > forgetHands {
			delete(ix.hands, at)
		}
	}
	return out, changed
}

func (ix *Index) rowLocked(doc kaijutsu.DocumentID) (cachedDoc, bool) {
	b := ix.books[doc]
	if b == nil || b.heads == nil || ix.queue.waiting[doc] != nil {
		return cachedDoc{}, false
	}
	row := cachedDoc{Doc: doc.String(), Heads: b.heads.Texts()}
	for _, e := range b.entries {
		row.Entries = append(row.Entries, rowOf(e))
	}
	return row, true
}

// judgedLocked adds the heads of the sources that were judged as they are, all
// marks of which are written.
func (ix *Index) judgedLocked(to map[string][]string) {
	if !ix.alone || !ix.keeping {
		return
	}
	unsure := make(map[kaijutsu.DocumentID]bool) // sources whose marks may be missing
	for doc := range ix.withheld {
		ix.citedLocked(doc, unsure)
	}
	for doc := range ix.owed {
		ix.citedLocked(doc, unsure)
	}
	for doc, s := range ix.sources {
		b := ix.books[doc]
		if b != nil && b.heads != nil && !s.dirty() && !unsure[doc] && !s.missed() && ix.queue.waiting[doc] == nil {
			to[doc.String()] = b.heads.Texts()
		}
	}
}

// citedLocked adds what a document cites.
func (ix *Index) citedLocked(doc kaijutsu.DocumentID, to map[kaijutsu.DocumentID]bool) {
	if b := ix.books[doc]; b != nil {
		for _, e := range b.entries {
			for _, c := range e.cites {
				to[c.key.doc] = true
			}
		}
	}
}

// missed reports whether one of the spans was not here.
func (s *source) missed() bool {
	for _, spans := range s.blocks {
		for sp := range spans {
			if sp.state == absent {
				return true
			}
		}
	}
	return false
}

// trust has the keeper begin, with what the file says was judged.
func (ix *Index) trust(c *cached) {
	if !ix.alone {
		return // the lease says when
	}
	ix.begin(func(s *source) bool {
		b := ix.books[s.doc]
		heads, ok := c.judged[s.doc]
		return ok && b != nil && b.heads.Equal(heads) && ix.queue.waiting[s.doc] == nil
	})
}

// save writes the file when it would be another.
func (ix *Index) save() {
	if ix.cfg.Dir == "" {
		return
	}
	select {
	case <-ix.scanned:
	default:
		return // it would hold a part only
	}
	if err := ix.saveTo(filepath.Join(ix.cfg.Dir, cacheFile)); err != nil {
		ix.cfg.Log.Warn("drifts not written to the cache: the next start takes longer", "err", err)
	}
}

func (ix *Index) saveTo(path string) error {
	rows, changed := ix.rows()
	if _, err := os.Stat(path); err == nil && !changed {
		return nil
	}
	body, err := json.Marshal(rows)
	if err != nil {
		return fmt.Errorf("write the cache of drifts: %w", err)
	}
	if err := os.MkdirAll(ix.cfg.Dir, 0o700); err != nil {
		return fmt.Errorf("write the cache of drifts: %w", err)
	}
	head := fmt.Sprintf("%s%08x\n", cacheHead, crc32.Checksum(body, castagnoli))
	if err := os.WriteFile(path+".new", append([]byte(head), body...), 0o600); err != nil {
		return errors.Join(fmt.Errorf("write the cache of drifts: %w", err), os.Remove(path+".new"))
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("write the cache of drifts: %w", err)
	}
	return nil
}
