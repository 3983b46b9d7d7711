package kernel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/internal/guard"
)

// saveAfter is how long summaries that were made wait to be written.
const saveAfter = time.Minute

// cacheHead begins the file of summaries; the CRC-32C of what follows the line
// stands behind it. Another layout gets another number.
const cacheHead = "kaijutsu contexts 1 "

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// cachedRow is a summary in the file.
type cachedRow struct {
	Doc     string   `json:"doc"`
	Heads   []string `json:"heads"`
	Context bool     `json:"context"`
	Title   string   `json:"title"`
	Blocks  int      `json:"blocks"`
	Version uint64   `json:"version"`
	By      string   `json:"by"`
	Kind    string   `json:"kind"`
}

// cacheTimer saves the summaries a while after they were made.
type cacheTimer struct {
	timer  *time.Timer // guarded by shelf.mu
	closed bool        // guarded by shelf.mu
}

// saveSoon has the summaries written in a while.
func (k *Kernel) saveSoon() {
	if k.cfg.Cache == "" {
		return
	}
	k.shelf.mu.Lock()
	defer k.shelf.mu.Unlock()
	if k.saving.timer == nil && !k.saving.closed {
		k.saving.timer = time.AfterFunc(saveAfter, guard.Func(k.log, "summaries", func() {
			k.shelf.mu.Lock()
			k.saving.timer = nil
			k.shelf.mu.Unlock()
			if err := k.saveShelf(); err != nil {
				k.log.Warn("summaries not written: the next start takes longer", "err", err)
			}
		}))
	}
}

// closeShelf writes the summaries for the next start.
func (k *Kernel) closeShelf() error {
	k.shelf.mu.Lock()
	if k.saving.timer != nil {
		k.saving.timer.Stop()
	}
	k.saving.timer, k.saving.closed = nil, true
	k.shelf.mu.Unlock()
	return k.saveShelf()
}

// saveShelf writes the summaries of all documents that have one.
func (k *Kernel) saveShelf() error {
	if k.cfg.Cache == "" {
		return nil
	}
	k.savingFile.Lock()
	defer k.savingFile.Unlock()
	body, err := json.Marshal(k.shelf.rows())
	if err != nil {
		return fmt.Errorf("write summaries: %w", err)
	}
	head := fmt.Sprintf("%s%08x\n", cacheHead, crc32.Checksum(body, castagnoli))
	temp := k.cfg.Cache + ".new"
	if err := os.WriteFile(temp, append([]byte(head), body...), 0o600); err != nil {
		return errors.Join(fmt.Errorf("write summaries: %w", err), os.Remove(temp))
	}
	if err := os.Rename(temp, k.cfg.Cache); err != nil {
		return fmt.Errorf("write summaries: %w", err)
	}
	return nil
}

// rows returns the summaries as the file has them.
func (s *shelf) rows() []cachedRow {
	s.mu.RLock()
	defer s.mu.RUnlock()
	rows := make([]cachedRow, 0, len(s.order))
	for _, doc := range s.order {
		sum := s.books[doc].summary
		if sum == nil {
			sum = s.books[doc].cached
		}
		if sum != nil {
			rows = append(rows, cachedRow{sum.url, sum.heads.Texts(), sum.context, sum.title, sum.blocks, sum.version, sum.by.Name, string(sum.by.Kind)})
		}
	}
	return rows
}

// loadShelf reads the file, if there is one. One that is damaged counts as
// none: everything in it can be made anew. It is believed of a document while
// the store has the same heads.
func (k *Kernel) loadShelf() {
	if k.cfg.Cache == "" {
		return
	}
	rows, err := readCache(k.cfg.Cache)
	if err != nil {
		if !errors.Is(err, os.ErrNotExist) {
			k.log.Warn("summaries not read: the first list takes longer", "file", filepath.Base(k.cfg.Cache), "err", err)
		}
		return
	}
	k.shelf.mu.Lock()
	defer k.shelf.mu.Unlock()
	for _, r := range rows {
		doc, err := kaijutsu.ParseDocumentID(r.Doc)
		heads, err2 := kaijutsu.ParseHeads(r.Heads)
		if err != nil || err2 != nil || k.shelf.books[doc] == nil {
			continue
		}
		k.shelf.books[doc].cached = &summary{
			doc: doc, name: doc.Name(), url: r.Doc, heads: heads, context: r.Context, title: r.Title,
			lower: strings.ToLower(r.Title), blocks: r.Blocks, version: r.Version,
			by: kaijutsu.Principal{Name: r.By, Kind: kaijutsu.PrincipalKind(r.Kind)},
		}
	}
}

func readCache(path string) ([]cachedRow, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	head, body, _ := strings.Cut(string(b), "\n")
	if want := fmt.Sprintf("%s%08x", cacheHead, crc32.Checksum([]byte(body), castagnoli)); head != want {
		return nil, fmt.Errorf("it is damaged, or of another release: %w", kaijutsu.ErrInvalid)
	}
	var rows []cachedRow
	return rows, json.Unmarshal([]byte(body), &rows)
}

// cached returns the summary that the file had of a document, if the document
// is still as it was then.
func (k *Kernel) cached(ctx context.Context, doc kaijutsu.DocumentID) *summary {
	k.shelf.mu.RLock()
	var sum *summary
	if b := k.shelf.books[doc]; b != nil {
		sum = b.cached
	}
	k.shelf.mu.RUnlock()
	if sum == nil {
		return nil
	}
	info, err := k.cfg.Store.Info(ctx, doc)
	if err != nil || !info.Heads.Equal(sum.heads) {
		return nil
	}
	return sum
}
