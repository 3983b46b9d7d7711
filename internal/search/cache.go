package search

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc64"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"kaijutsu"
)

// The index file: indexMagic, the fields of a table as uvarints and counted
// bytes in the order of encoder.table, and a CRC-64 (ECMA) over all before it,
// most significant byte first. Another layout gets another magic.
const (
	indexName  = "index"
	indexMagic = "kaijutsu search 1\n"
)

var errDamaged = errors.New("damaged")

// save writes the tables; the worker calls it, which alone changes them.
func (ix *Index) save() error {
	ix.changed, ix.saved = false, time.Now()
	err := ix.texts.f.Sync()
	if err == nil {
		err = writeIndex(ix.cfg.Dir, ix.table, ix.texts)
	}
	if err != nil {
		ix.changed = true
		return fmt.Errorf("write search index: %w", err)
	}
	return nil
}

// writeIndex replaces the index file at once.
func writeIndex(dir string, t *table, x *texts) (err error) {
	temp := filepath.Join(dir, indexName+".new")
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(temp)
		}
	}()
	sum := crc64.New(crcTable)
	e := encoder{w: bufio.NewWriterSize(io.MultiWriter(f, sum), 1<<20)}
	e.w.WriteString(indexMagic)
	e.table(t, x)
	if err := e.w.Flush(); err != nil {
		return err
	}
	if _, err := f.Write(binary.BigEndian.AppendUint64(nil, sum.Sum64())); err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp, filepath.Join(dir, indexName)); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// encoder writes the index file; bufio keeps the first error.
type encoder struct {
	w   *bufio.Writer
	num [binary.MaxVarintLen64]byte
}

func (e *encoder) uint(n uint64) { e.w.Write(e.num[:binary.PutUvarint(e.num[:], n)]) }

func (e *encoder) bytes(b []byte) {
	e.uint(uint64(len(b)))
	e.w.Write(b)
}

func (e *encoder) table(t *table, x *texts) {
	e.uint(x.gen)
	e.uint(uint64(x.tail))
	e.uint(uint64(len(t.words)))
	for _, w := range t.words {
		e.bytes([]byte(w))
	}
	e.uint(uint64(len(t.docs)))
	for _, d := range t.docs[1:] {
		e.bytes(d.id.Bytes())
		e.uint(uint64(len(d.heads)))
		for _, h := range d.heads {
			e.w.Write(h[:])
		}
	}
	e.uint(uint64(len(t.blocks)))
	for _, b := range t.blocks[1:] {
		e.uint(uint64(b.doc))
		if b.doc == 0 {
			continue
		}
		e.w.Write(b.id[:])
		for _, n := range [...]uint64{b.sum, uint64(b.off), uint64(b.size), uint64(b.pos), uint64(b.kind), uint64(b.role)} {
			e.uint(n)
		}
	}
	e.uint(uint64(len(t.grams.lists)))
	for key, i := range t.grams.index {
		p := t.grams.lists[i]
		e.uint(uint64(key))
		e.uint(uint64(p.last))
		e.uint(uint64(p.count))
		e.bytes(p.b)
	}
}

// load reads the files of a directory. The error wraps os.ErrNotExist when
// there is no index file.
func load(dir string) (*table, *texts, error) {
	b, err := os.ReadFile(filepath.Join(dir, indexName))
	if err != nil {
		return nil, nil, err
	}
	end := len(b) - 8
	if end < len(indexMagic) || string(b[:len(indexMagic)]) != indexMagic || sumOf(b[:end]) != binary.BigEndian.Uint64(b[end:]) {
		return nil, nil, fmt.Errorf("file %s: %w", indexName, errDamaged)
	}
	d := decoder{b: b[len(indexMagic):end]}
	gen, tail := d.uint(), int64(d.uint())
	t := d.table(tail)
	if d.bad || len(d.b) > 0 {
		return nil, nil, fmt.Errorf("file %s: %w", indexName, errDamaged)
	}
	x, err := openTexts(dir, gen, tail)
	if err != nil {
		return nil, nil, fmt.Errorf("%v: %w", err, errDamaged)
	}
	return t, x, nil
}

// decoder reads what encoder wrote. After damage everything reads as zero.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) uint() uint64 {
	n, size := binary.Uvarint(d.b)
	if size <= 0 {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[size:]
	return n
}

// below reads a number less than n.
func (d *decoder) below(n int) uint32 {
	v := d.uint()
	if v >= uint64(n) {
		d.bad, d.b = true, nil
		return 0
	}
	return uint32(v)
}

// count reads how many things follow that take a byte each at least.
func (d *decoder) count() int { return int(d.below(len(d.b) + 1)) }

func (d *decoder) take(n int) []byte {
	if n > len(d.b) {
		d.bad, d.b = true, nil
		return make([]byte, n)
	}
	b := d.b[:n:n]
	d.b = d.b[n:]
	return b
}

func (d *decoder) table(tail int64) *table {
	t := newTable()
	for range d.count() {
		t.wordOf(string(d.take(d.count())))
	}
	for n := d.uint(); n > 1 && !d.bad; n-- {
		d.document(t)
	}
	for n := d.uint(); n > 1 && !d.bad; n-- {
		d.entry(t, tail)
	}
	for range d.count() {
		key := trigram(d.uint())
		p := postings{last: d.below(len(t.blocks)), count: uint32(d.uint())}
		p.b = d.take(d.count())
		if d.bad {
			break
		}
		t.grams.index[key] = uint32(len(t.grams.lists))
		t.grams.lists = append(t.grams.lists, p)
	}
	return t
}

func (d *decoder) document(t *table) {
	id, err := kaijutsu.DocumentIDFromBytes(d.take(d.count()))
	heads := make(kaijutsu.Heads, d.count())
	if err != nil {
		t.free = append(t.free, uint32(len(t.docs)))
		t.docs = append(t.docs, docEntry{})
		return
	}
	for i := range heads {
		heads[i] = kaijutsu.ChangeHash(d.take(len(heads[i])))
	}
	t.byDoc[id] = uint32(len(t.docs))
	t.docs = append(t.docs, docEntry{id: id, heads: heads})
}

func (d *decoder) entry(t *table, tail int64) {
	doc := d.below(len(t.docs))
	if doc == 0 {
		t.blocks = append(t.blocks, entry{})
		return
	}
	e := entry{doc: doc, id: rawID(d.take(len(rawID{})))}
	e.sum, e.off = d.uint(), int64(d.uint())
	e.size, e.pos = uint32(d.uint()), uint32(d.uint())
	e.kind, e.role = d.below(len(t.words)), d.below(len(t.words))
	if d.bad || e.off < 0 || e.off+int64(e.size) > tail {
		d.bad = true
		return
	}
	t.docs[doc].numbers = append(t.docs[doc].numbers, t.insert(e, nil))
}

// removeOtherTexts deletes the files of contents that no index refers to.
func removeOtherTexts(dir string, gen uint64) {
	entries, _ := os.ReadDir(dir) // what cannot be listed stays
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), textPrefix) && filepath.Join(dir, e.Name()) != textPath(dir, gen) {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
