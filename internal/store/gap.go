package store

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/dgraph-io/badger/v4"
)

// gap is where rows of a table are gone: behind one key, up to another, nil for
// no bound. Of the upper one newer versions may be gone.
type gap struct{ behind, upTo []byte }

func (g gap) holds(key []byte) bool {
	return bytes.Compare(key, g.behind) > 0 && (g.upTo == nil || bytes.Compare(key, g.upTo) <= 0)
}

// A file of gaps ends with gapsSuffix until what it says was heeded, and with
// heededSuffix after. Its first line is the greatest version in the table; then
// there are two keys in hexadecimal a line, "-" for none.
const (
	gapsSuffix   = ".gaps"
	heededSuffix = ".heeded"
)

func encodeGaps(version uint64, gaps []gap) []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, version)
	word := func(key []byte) string {
		if key == nil {
			return "-"
		}
		return hex.EncodeToString(key)
	}
	for _, g := range gaps {
		fmt.Fprintln(&b, word(g.behind), word(g.upTo))
	}
	return b.Bytes()
}

func decodeGaps(b []byte) (version uint64, gaps []gap, err error) {
	first, rest, _ := strings.Cut(string(b), "\n")
	if version, err = strconv.ParseUint(first, 10, 64); err != nil {
		return 0, nil, err
	}
	for line := range strings.Lines(rest) {
		var g gap
		words := strings.Fields(line)
		if len(words) != 2 {
			return 0, nil, fmt.Errorf("line %q: want two keys", line)
		}
		for i, key := range []*[]byte{&g.behind, &g.upTo} {
			if words[i] == "-" {
				continue
			}
			if *key, err = hex.DecodeString(words[i]); err != nil {
				return 0, nil, err
			}
		}
		gaps = append(gaps, g)
	}
	return version, gaps, nil
}

// heedGaps marks the rows whose newer versions are gone, counts what there is
// anew, and returns the state after that. The caller has the database alone.
func (s *Store) heedGaps(now state) (state, error) {
	files, err := filepath.Glob(filepath.Join(s.lostDir(), "*"+gapsSuffix))
	if err != nil || len(files) == 0 || s.readOnly { // then it is done when it is opened for writing
		return now, err
	}
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			return now, err
		}
		version, gaps, err := decodeGaps(b)
		if err != nil {
			return now, fmt.Errorf("%s: %w", path, err)
		}
		if now, err = s.markStale(now, version, gaps); err != nil {
			return now, err
		}
		if err := os.Rename(path, path+heededSuffix); err != nil {
			return now, err
		}
	}
	return now, syncDir(s.lostDir())
}

// staleRow is what takes the place of a row whose newer versions are gone:
// nobody takes it for what it was.
func staleRow(key []byte) []byte {
	return seal(key, kindStale, []byte("its last version was in a table that was damaged"))
}

// markStale makes rows in gaps unreadable that were there before and of which
// the last version may be gone: it is older than the table's greatest. Those of
// documents tell by themselves: a newer one would have come with rows behind its
// counts. Changes, actors and blobs are written once. Who accepts losses takes
// records as they were.
func (s *Store) markStale(now state, version uint64, gaps []gap) (state, error) {
	err := s.db.Update(func(txn *badger.Txn) error {
		v := view{s, txn}
		for _, g := range gaps {
			for _, class := range []byte{classDocument, classRecord} {
				if err := v.markStale(class, version, g); err != nil {
					return err
				}
			}
			if err := v.markLost(g); err != nil {
				return err
			}
		}
		now.counter++
		before := now
		if err := v.recount(&now); err != nil {
			return err
		}
		if before.documents > now.documents || before.records > now.records || before.outbox > now.outbox {
			s.log.Error("rows of a damaged table are gone", "documents", before.documents-min(before.documents, now.documents),
				"records", before.records-min(before.records, now.records), "outbox", before.outbox-min(before.outbox, now.outbox))
		}
		return txn.Set(stateKey, seal(stateKey, kindState, now.encode()))
	})
	return now, err
}

func (v view) markStale(class byte, version uint64, g gap) error {
	seek := []byte{class}
	if bytes.Compare(g.behind, seek) > 0 {
		seek = g.behind
	}
	var stale, gone [][]byte
	err := v.scan([]byte{class}, seek, func(item *badger.Item) (bool, error) {
		key := item.KeyCopy(nil)
		if g.upTo != nil && bytes.Compare(key, g.upTo) > 0 {
			return false, nil
		}
		if !g.holds(key) || item.Version() > version {
			return true, nil
		}
		if class == classRecord {
			// The store's own are written once, or not missed.
			if !bytes.Equal(key, g.upTo) && !v.s.acceptLoss && !bytes.HasPrefix(key[1:], []byte(ownRecords)) {
				stale = append(stale, key)
			}
			return true, nil
		}
		doc, err := documentOf(key)
		if err != nil {
			return true, nil
		}
		if v.holds(deletedRecord(doc)) {
			gone = append(gone, key)
			return true, nil
		}
		_ = item.Value(func(frame []byte) error {
			row, err := openDocument(key, frame)
			if err == nil && (v.holds(rowKey(classChange, doc, row.changes)) || v.holds(rowKey(classActor, doc, row.actors))) {
				stale = append(stale, key)
			}
			return nil
		})
		return true, nil
	})
	for _, key := range stale {
		if err == nil {
			v.s.log.Error("row of a damaged table is stale", "key", keyName(key))
			err = v.txn.Set(key, staleRow(key))
		}
	}
	for _, key := range gone {
		if err == nil {
			err = v.txn.Delete(key)
		}
	}
	return err
}

// markLost lists as damaged the documents whose own row was in a gap and is
// gone, and of which there are changes: they are not to be missing silently.
func (v view) markLost(g gap) error {
	var lost [][]byte
	last := []byte{classChange}
	for last != nil {
		seek := last
		last = nil
		err := v.scan([]byte{classChange}, seek, func(item *badger.Item) (bool, error) {
			key := item.KeyCopy(nil)
			if len(key) < 10 {
				return true, nil
			}
			own := append([]byte{classDocument}, key[1:len(key)-8]...)
			doc, err := documentOf(own)
			if err != nil {
				return true, nil
			}
			last = rowKey(classChange, doc, math.MaxUint64) // then the next document
			if g.holds(own) && !v.holds(own) && !v.holds(deletedRecord(doc)) {
				lost = append(lost, own)
			}
			return false, nil
		})
		if err != nil {
			return err
		}
	}
	for _, key := range lost {
		v.s.log.Error("row of a damaged table is gone", "key", keyName(key))
		if err := v.txn.Set(key, staleRow(key)); err != nil {
			return err
		}
	}
	return nil
}

func (v view) holds(key []byte) bool {
	_, err := v.txn.Get(key)
	return err == nil
}

// recount counts documents, records and outbox entries anew. Of the outbox the
// entries behind the last gap remain.
func (v view) recount(now *state) error {
	count := func(class byte) (n uint64, err error) {
		err = v.scan([]byte{class}, []byte{class}, func(*badger.Item) (bool, error) { n++; return true, nil })
		return n, err
	}
	var errs [2]error
	now.documents, errs[0] = count(classDocument)
	now.records, errs[1] = count(classRecord)
	next := now.firstOutbox()
	err := v.scan([]byte{classOutbox}, numberKey(classOutbox, next), func(item *badger.Item) (bool, error) {
		if seq := indexOf(item.Key()); seq < now.nextOutbox {
			if seq != next { // there is a gap before it
				now.outbox = now.nextOutbox - seq
			}
			next = seq + 1
		}
		return true, nil
	})
	if next < now.nextOutbox {
		now.outbox = 0
	}
	return errors.Join(errs[0], errs[1], err)
}
