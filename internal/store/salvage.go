package store

import (
	"bytes"
	"encoding/binary"
	"math"
	"path/filepath"
	"slices"

	"github.com/dgraph-io/badger/v4/fb"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
)

// piece is where a block of a table is in its file.
type piece struct{ from, to int }

// indexedBlocks returns where the index says that the blocks are; false when it
// names one that is not in the file.
func indexedBlocks(b []byte, index *fb.TableIndex) ([]piece, bool) {
	blocks := make([]piece, index.OffsetsLength())
	for i := range blocks {
		var at fb.BlockOffset
		if !index.Offsets(&at, i) || int64(at.Offset())+int64(at.Len()) > int64(len(b)) {
			return nil, false
		}
		blocks[i] = piece{int(at.Offset()), int(at.Offset() + at.Len())}
	}
	return blocks, true
}

// findBlocks returns where the blocks of a table without an index are: they
// follow each other from its beginning, and each ends with its checksum. What
// is between two that match, in pieces that end as blocks do, is returned too.
func findBlocks(b []byte) []piece {
	ends := blockEnds(b)
	var blocks []piece
	for from := 0; len(ends) > 0; {
		to, whole := ends[0], false
		for _, end := range ends[:min(len(ends), 64)] {
			if checkBlockSum(b[from:end]) == nil {
				to, whole = end, true
				break
			}
		}
		if !whole {
			if start := blockStart(b, from, to); start > from { // more than one was damaged before it
				blocks = append(blocks, piece{from, start})
				from = start
			}
		}
		blocks = append(blocks, piece{from, to})
		from = to
		for len(ends) > 0 && ends[0] <= to {
			ends = ends[1:]
		}
	}
	return blocks
}

// blockEnds returns where something ends that looks like the end of a block, as
// tableFile describes it.
func blockEnds(b []byte) (ends []int) {
	for end := 4; end <= len(b); end++ {
		n := int(b[end-1])
		if n < 2 || n > 6 || b[end-2] != 0 || b[end-3] != 0 || b[end-4] != 0 || end < 8+n {
			continue
		}
		rest := end - 4 - n
		if _, ok := sumIn(b[rest : end-4]); !ok {
			continue
		}
		rest -= 4
		entries := int64(binary.BigEndian.Uint32(b[rest:]))
		if entries > 0 && 4*entries <= int64(rest) && binary.LittleEndian.Uint32(b[rest-int(4*entries):]) == 0 {
			ends = append(ends, end)
		}
	}
	return ends
}

// blockStart returns where between from and end a block begins that ends there
// and is whole, 0 when none does: its first entry shares nothing with others.
func blockStart(b []byte, from, end int) int {
	for at := from + 1; at+5 < end; at++ {
		if b[at] == 0 && b[at+1] == 0 && b[at+2]|b[at+3] != 0 && bytes.IndexByte([]byte("!abcdorx"), b[at+4]) >= 0 && checkBlockSum(b[at:end]) == nil {
			return at
		}
	}
	return 0
}

// endsWithIndex reports whether what follows the last block is as long as the
// index that the end of the table tells of: then nothing is missing between.
func endsWithIndex(b []byte, at int) bool {
	rest := len(b)
	for range 2 {
		if rest -= 4; rest < at {
			return false
		}
		n := int64(binary.BigEndian.Uint32(b[rest:]))
		if n == 0 || n > int64(rest-at) {
			return false
		}
		rest -= int(n)
	}
	return rest == at
}

// surroundings are what is known of a table from elsewhere.
type surroundings struct {
	id     uint64
	others []keyRange // of its level, without overlaps, by key; none on level 0
	newest uint64     // no row in it has a greater version
}

// surroundings reads what the manifest and the tables beside it tell of one. What
// cannot be read tells nothing.
func (s *Store) surroundings(path string) surroundings {
	around := surroundings{newest: math.MaxUint64}
	around.id, _ = table.ParseFileID(path)
	logs, _ := filepath.Glob(filepath.Join(s.databaseDir(), "*.mem"))
	for _, log := range logs { // what is in tables only is older than the logs
		if report, err := readWAL(log); err == nil && report.first > 0 {
			around.newest = min(around.newest, report.first-1)
		}
	}
	manifest, err := readManifest(s.databaseDir())
	if err != nil || manifest.Tables[around.id].Level == 0 {
		return around
	}
	for id, other := range manifest.Tables {
		if id == around.id || other.Level != manifest.Tables[around.id].Level {
			continue
		}
		if r, ok := rangeOf(table.NewFilename(id, s.databaseDir())); ok {
			around.others = append(around.others, r)
		}
	}
	slices.SortFunc(around.others, func(a, b keyRange) int { return bytes.Compare(a.first, b.first) })
	return around
}

// rangeOf returns the first and the last key of a table.
func rangeOf(path string) (keyRange, bool) {
	t, err := openTable(path)
	if err != nil {
		return keyRange{}, false
	}
	defer t.Close()
	var r keyRange
	for _, i := range []int{0, t.blocks() - 1} {
		block, err := t.checkBlock(i, nil)
		if err != nil {
			return keyRange{}, false
		}
		for e := range entriesOf(block) {
			if r.last = withoutVersion(e.key); r.first == nil {
				r.first = r.last
			}
		}
	}
	return r, r.first != nil
}

// below returns the greatest key of another table that is less, above the least
// that is greater; nil for none.
func (a surroundings) below(key []byte) (found []byte) {
	for _, r := range a.others {
		if bytes.Compare(r.last, key) < 0 {
			found = r.last
		}
	}
	return found
}

func (a surroundings) above(key []byte) []byte {
	for _, r := range a.others {
		if bytes.Compare(r.first, key) > 0 {
			return r.first
		}
	}
	return nil
}

// everywhere returns all places where the table may have had rows.
func (a surroundings) everywhere() (gaps []gap) {
	var behind []byte
	for _, r := range a.others {
		gaps = append(gaps, gap{behind, r.first})
		behind = r.last
	}
	return append(gaps, gap{behind, nil})
}

// placeholder is the one entry of a table of which nothing can be read: the
// manifest lists it, so it has to be there. It deletes a key that no row has and
// that is before those of all other tables.
func (a surroundings) placeholder() tableEntry {
	const deletes = 1
	v := y.ValueStruct{Meta: deletes}
	value := make([]byte, v.EncodedSize())
	v.Encode(value)
	return tableEntry{y.KeyWithTs(binary.BigEndian.AppendUint64([]byte{0}, a.id), 1), value}
}
