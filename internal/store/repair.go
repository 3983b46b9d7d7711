package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/dgraph-io/badger/v4/fb"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"

	"kaijutsu"
)

// repairs are the damaged tables that were found and not repaired yet.
type repairs struct {
	mu     sync.Mutex
	tables map[uint64]error // guarded by mu
}

func (r *repairs) add(id uint64, damage error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tables == nil {
		r.tables = make(map[uint64]error)
	}
	r.tables[id] = damage
}

func (r *repairs) pending() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.tables) > 0
}

func (r *repairs) take() map[uint64]error {
	r.mu.Lock()
	defer r.mu.Unlock()
	tables := r.tables
	r.tables = nil
	return tables
}

// foundDamage has the committer repair a table.
func (s *Store) foundDamage(id uint64, err error) {
	s.log.Error("table is damaged", "err", err)
	s.repairs.add(id, err)
	select {
	case s.look <- struct{}{}:
	default:
	}
}

// repairTables repairs what was found, while the database is closed. A table
// that cannot be repaired stops the writes, so that no compaction deletes the
// evidence and what is intact of it.
func (s *Store) repairTables(tables map[uint64]error) {
	for _, id := range slices.Sorted(maps.Keys(tables)) {
		path := table.NewFilename(id, s.databaseDir())
		_, err := os.Stat(path)
		if errors.Is(err, os.ErrNotExist) {
			continue // compacted away
		}
		if err = s.repairTable(path); err == nil {
			continue
		}
		s.log.Error("table cannot be repaired", "path", path, "err", err)
		if !s.acceptLoss {
			s.setDamage(fmt.Errorf("%w; %s, or start with --accept-loss: %w: %w", tables[id], s.mendHint(), ErrDamaged, kaijutsu.ErrUnavailable))
		}
	}
}

// repairTable replaces a table by one that holds what can be read of it. Single
// wrong bits are corrected. Of a block in which more is wrong those rows remain
// whose own checksums match; a table whose index is damaged or cut off is read
// without it. Where other rows may have been is written down in a file in Dir/lost, beside the table as it was, before the new one takes its
// place.
func (s *Store) repairTable(path string) error {
	b, err := readFile(path)
	gone := errors.Is(err, os.ErrNotExist)
	if err != nil && !gone {
		return err
	}
	r := readDamagedTable(b, s.surroundings(path))
	if err := os.MkdirAll(s.lostDir(), 0o700); err != nil {
		return err
	}
	aside := filepath.Join(s.lostDir(), filepath.Base(path)+time.Now().UTC().Format(".20060102T150405.000000Z"))
	if !gone {
		err = os.Link(path, aside)
	}
	if err != nil && !gone {
		return err
	}
	if len(r.gaps) > 0 {
		if err := replaceFile(aside+gapsSuffix, encodeGaps(r.version, r.gaps)); err != nil {
			return err
		}
	}
	if err := errors.Join(syncDir(s.lostDir()), replaceFile(path, r.repaired)); err != nil {
		return err
	}
	s.count.repaired.Add(1)
	s.log.Warn("damaged table repaired", "path", path, "corrected", r.corrected, "blocks", r.bad, "aside", aside)
	return nil
}

// readFile reads a file; what the disk does not give is zeros.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	b := make([]byte, info.Size())
	const page = 4096
	for at := 0; at < len(b); at += page {
		_, _ = f.ReadAt(b[at:min(at+page, len(b))], int64(at)) // its checksums will tell
	}
	return b, nil
}

// repairedTable is what can be read of a damaged table.
type repairedTable struct {
	repaired  []byte
	version   uint64 // no row that is gone had a greater one
	newest    uint64 // the greatest that can be read
	corrected int    // blocks
	bad       int    // blocks that could not be corrected
	gaps      []gap
}

// readDamagedTable reads what can be read. When that is nothing, the new table
// has one entry that stands for no row, and its rows may have been everywhere
// that the tables beside it leave.
func readDamagedTable(b []byte, around surroundings) (r repairedTable) {
	index, err := indexOfTable(b)
	var blocks []piece
	indexed, end := err == nil, 0 // end is that of the last whole block
	if indexed {
		r.version = index.MaxVersion()
		blocks, indexed = indexedBlocks(b, index)
	}
	if !indexed {
		r.version, blocks = around.newest, findBlocks(b)
	}
	var kept []tableEntry
	var open bool     // something is missing behind what was kept last
	var behind []byte // the last key that was kept
	for _, at := range blocks {
		block := b[at.from:at.to]
		whole := checkBlockSum(block) == nil
		if !whole && correct(block) {
			r.corrected++
			whole = true
		}
		if whole {
			end = at.to
		} else {
			r.bad++
			open = true
		}
		for e := range entriesOf(block) {
			key := withoutVersion(e.key)
			if !whole && (!e.sound() || e.version() > r.version || len(kept) > 0 && y.CompareKeys(kept[len(kept)-1].key, e.key) >= 0) {
				continue
			}
			if len(kept) == 0 {
				behind = around.below(key)
			}
			if open {
				r.gaps, open = append(r.gaps, gap{behind, key}), false
			}
			kept, behind = append(kept, e), key
			r.newest = max(r.newest, e.version())
			open = !whole // each of its rows may be followed by one that is gone
		}
	}
	if !indexed && !endsWithIndex(b, end) {
		open = true
	}
	switch {
	case len(kept) == 0:
		r.bad = max(r.bad, 1)
		r.gaps = around.everywhere()
		kept = append(kept, around.placeholder())
	case open:
		r.gaps = append(r.gaps, gap{behind, around.above(behind)})
	}
	if indexed && r.bad == 0 {
		r.repaired = b
		return r
	}
	r.repaired = buildTable(kept)
	return r
}

// indexOfTable checks the index at the end of a table, and corrects it.
func indexOfTable(b []byte) (*fb.TableIndex, error) {
	field := func(rest int) (from int, err error) {
		if rest < 4 {
			return 0, errors.New("the table is too short")
		}
		n := int64(binary.BigEndian.Uint32(b[rest-4:]))
		if n > int64(rest-4) {
			return 0, fmt.Errorf("length %d is more than the %d bytes there are", n, rest-4)
		}
		return rest - 4 - int(n), nil
	}
	sum, err := field(len(b))
	if err != nil {
		return nil, err
	}
	from, err := field(sum)
	if err != nil {
		return nil, err
	}
	index, message := b[from:sum-4], b[sum:len(b)-4]
	if checkSum(index, message) != nil && !correctData(index, message, false) {
		return nil, errors.New("index: checksum does not match")
	}
	if len(index) < minIndex {
		return nil, fmt.Errorf("index: %d bytes are none", len(index))
	}
	found := fb.GetRootAsTableIndex(index, 0)
	if found.OffsetsLength() == 0 {
		return nil, errors.New("index: it lists no blocks")
	}
	return found, nil
}

// tableEntry is a row in a table: its key with the version, its value with
// Badger's own fields.
type tableEntry struct{ key, value []byte }

func (e tableEntry) version() uint64 { return y.ParseTs(e.key) }

// sound reports whether the checksum of the row itself matches. Deletions have
// none.
func (e tableEntry) sound() bool {
	if len(e.key) < 9 || len(e.value) < 3 {
		return false
	}
	var v y.ValueStruct
	v.Decode(e.value)
	_, _, err := unseal(withoutVersion(e.key), v.Value)
	return err == nil
}

// entriesOf returns the entries of a block, as far as its lengths make sense:
// entries, each with four bytes for how much of the first key it shares and how
// long the rest of its key is; their offsets; their number.
func entriesOf(block []byte) func(yield func(tableEntry) bool) {
	return func(yield func(tableEntry) bool) {
		rest := len(block) - 4
		if rest < 0 {
			return
		}
		rest -= int(binary.BigEndian.Uint32(block[rest:]))
		if rest -= 4; rest < 0 || rest > len(block) {
			return
		}
		n := int64(binary.BigEndian.Uint32(block[rest:]))
		if n == 0 || 4*n > int64(rest) {
			return
		}
		offsets := block[rest-int(4*n) : rest]
		end := rest - int(4*n)
		at := func(i int64) int {
			if i == n {
				return end
			}
			return int(binary.LittleEndian.Uint32(offsets[4*i:]))
		}
		var first []byte
		for i := range n {
			from, to := at(i), at(i+1)
			if from < 0 || to > end || to-from < 4 {
				continue
			}
			entry := block[from:to]
			shared, own := int(binary.LittleEndian.Uint16(entry)), int(binary.LittleEndian.Uint16(entry[2:]))
			if 4+own > len(entry) || shared > len(first) {
				continue
			}
			key := append(append(make([]byte, 0, shared+own), first[:shared]...), entry[4:4+own]...)
			if i == 0 {
				first = key
			}
			if len(key) > 8 && len(entry)-4-own >= 3 && !yield(tableEntry{key, entry[4+own:]}) {
				return
			}
		}
	}
}

// buildTable returns a table of these entries, which ascend.
func buildTable(entries []tableEntry) []byte {
	size := 0
	for _, e := range entries {
		size += len(e.key) + len(e.value) + 64
	}
	builder := table.NewTableBuilder(table.Options{
		TableSize: uint64(2*size) + 1<<20, BlockSize: 4096, BloomFalsePositive: 0.01, ChkMode: options.OnBlockRead, Compression: options.None,
	})
	defer builder.Close()
	for _, e := range entries {
		var v y.ValueStruct
		v.Decode(e.value)
		builder.Add(e.key, v, 0)
	}
	return builder.Finish()
}
