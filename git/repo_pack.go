package git

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"kaijutsu"
)

const (
	maxDeltaChain = 4096     // git itself writes at most 4095
	maxIndexBytes = 32 << 20 // a pack index up to here is kept in memory
)

// pack is a pack file with its index, version 2, as
// git-scm.com/docs/gitformat-pack describes them. It may be used by many
// goroutines.
type pack struct {
	path   string
	file   *os.File
	index  io.ReaderAt
	size   int64 // of the pack
	count  uint32
	large  int64 // entries of the table of 64-bit offsets
	fanout [256]uint32
}

func openPack(path, idx string) (*pack, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	p := &pack{path: path, file: f}
	if err := p.open(idx); err != nil {
		f.Close()
		return nil, fmt.Errorf("opening pack %s: %w", path, err)
	}
	return p, nil
}

func (p *pack) open(idx string) error {
	st, err := p.file.Stat()
	if err != nil {
		return err
	}
	p.size = st.Size()
	var head [12]byte
	if _, err := p.file.ReadAt(head[:], 0); err != nil || string(head[:4]) != "PACK" {
		return fmt.Errorf("it is not a pack: %w", kaijutsu.ErrInvalid)
	}
	if v := binary.BigEndian.Uint32(head[4:]); v != 2 && v != 3 {
		return fmt.Errorf("pack version %d is not known: %w", v, kaijutsu.ErrInvalid)
	}
	return p.openIndex(idx)
}

func (p *pack) openIndex(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return err
	}
	p.index = f
	if st.Size() <= maxIndexBytes {
		data, err := io.ReadAll(io.LimitReader(f, maxIndexBytes))
		f.Close()
		if err != nil {
			return err
		}
		p.index = bytes.NewReader(data)
	}
	var head [8 + 1024]byte
	if _, err := p.index.ReadAt(head[:], 0); err != nil {
		return fmt.Errorf("its index is too short: %w", kaijutsu.ErrInvalid)
	}
	if string(head[:8]) != "\xfftOc\x00\x00\x00\x02" {
		return fmt.Errorf("its index is not of version 2; run git repack: %w", kaijutsu.ErrInvalid)
	}
	for i := range p.fanout {
		p.fanout[i] = binary.BigEndian.Uint32(head[8+4*i:])
		if i > 0 && p.fanout[i] < p.fanout[i-1] {
			return fmt.Errorf("its index is not sorted: %w", kaijutsu.ErrInvalid)
		}
	}
	p.count = p.fanout[255]
	rest := st.Size() - int64(len(head)) - 28*int64(p.count) - 40
	if rest < 0 || rest%8 != 0 {
		return fmt.Errorf("its index has the wrong length: %w", kaijutsu.ErrInvalid)
	}
	p.large = rest / 8
	return nil
}

// find returns where an object begins in the pack.
func (p *pack) find(h Hash) (int64, bool, error) {
	var want, name [20]byte
	if _, err := hex.Decode(want[:], []byte(h)); err != nil {
		return 0, false, nil
	}
	lo, hi := uint32(0), p.fanout[want[0]]
	if want[0] > 0 {
		lo = p.fanout[want[0]-1]
	}
	for lo < hi {
		mid := lo + (hi-lo)/2
		if _, err := p.index.ReadAt(name[:], 1032+20*int64(mid)); err != nil {
			return 0, false, fmt.Errorf("reading the index of pack %s: %w", p.path, err)
		}
		switch c := bytes.Compare(want[:], name[:]); {
		case c == 0:
			off, err := p.offset(mid)
			return off, err == nil, err
		case c < 0:
			hi = mid
		default:
			lo = mid + 1
		}
	}
	return 0, false, nil
}

func (p *pack) offset(i uint32) (int64, error) {
	var b [8]byte
	base := 1032 + 24*int64(p.count)
	if _, err := p.index.ReadAt(b[:4], base+4*int64(i)); err != nil {
		return 0, fmt.Errorf("reading the index of pack %s: %w", p.path, err)
	}
	off := int64(binary.BigEndian.Uint32(b[:4]))
	if off&(1<<31) == 0 {
		return off, nil
	}
	if off &^= 1 << 31; off >= p.large {
		return 0, p.corrupt(off, "its index points behind itself")
	}
	if _, err := p.index.ReadAt(b[:], base+4*int64(p.count)+8*off); err != nil {
		return 0, fmt.Errorf("reading the index of pack %s: %w", p.path, err)
	}
	return int64(binary.BigEndian.Uint64(b[:]) &^ (1 << 63)), nil
}

func (p *pack) corrupt(off int64, what string) error {
	return fmt.Errorf("pack %s is corrupt at %d: %s; run git fsck: %w", p.path, off, what, kaijutsu.ErrInvalid)
}

// The types of entries of a pack.
var packKinds = map[byte]objectKind{1: commitKind, 2: treeKind, 3: blobKind, 4: tagKind}

const (
	offsetDelta = 6
	nameDelta   = 7
)

// object reads the entry at off: the deltas down to a base, then back up.
func (p *pack) object(s *objectStore, off, limit int64) (objectKind, []byte, error) {
	var deltas [][]byte
	var offs []int64
	var kind objectKind
	var data []byte
	for data == nil {
		if k, d, ok := s.cache.getAt(p, off); ok {
			kind, data = k, d
			break
		}
		if len(deltas) > maxDeltaChain {
			return "", nil, p.corrupt(off, "the chain of deltas is too long")
		}
		e, err := p.entry(off, limit)
		if err != nil {
			return "", nil, err
		}
		switch {
		case e.typ == offsetDelta:
			deltas, offs = append(deltas, e.data), append(offs, off)
			off = e.base
		case e.typ == nameDelta:
			deltas, offs = append(deltas, e.data), append(offs, off)
			base, ok, err := p.find(e.name)
			if err != nil {
				return "", nil, err
			}
			if !ok {
				return "", nil, p.corrupt(off, "the base of a delta is not in the pack")
			}
			off = base
		default:
			kind, data = packKinds[e.typ], e.data
			s.cache.putAt(p, off, kind, data)
		}
	}
	for i := len(deltas) - 1; i >= 0; i-- {
		next, err := applyDelta(data, deltas[i], limit)
		if errors.Is(err, kaijutsu.ErrTooLarge) {
			return "", nil, fmt.Errorf("an object of pack %s: %w", p.path, err)
		}
		if err != nil {
			return "", nil, p.corrupt(offs[i], err.Error())
		}
		data = next
		if i > 0 {
			s.cache.putAt(p, offs[i], kind, data)
		}
	}
	return kind, data, nil
}

type packEntry struct {
	typ  byte
	data []byte
	base int64 // of offsetDelta
	name Hash  // of nameDelta
}

var (
	packReaders = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 4096) }}
	inflaters   sync.Pool // of io.ReadCloser that are zlib.Resetter
)

func (p *pack) entry(off, limit int64) (packEntry, error) {
	if off < 12 || off >= p.size-20 {
		return packEntry{}, p.corrupt(off, "an entry is outside of it")
	}
	r := packReaders.Get().(*bufio.Reader)
	defer packReaders.Put(r)
	r.Reset(io.NewSectionReader(p.file, off, p.size-20-off))
	c, err := r.ReadByte()
	if err != nil {
		return packEntry{}, p.corrupt(off, err.Error())
	}
	e := packEntry{typ: c >> 4 & 7}
	size := int64(c & 15)
	for shift := 4; c&0x80 != 0; shift += 7 {
		if c, err = r.ReadByte(); err != nil || shift > 53 {
			return packEntry{}, p.corrupt(off, "the size of an entry")
		}
		size |= int64(c&0x7f) << shift
	}
	if size > limit {
		return packEntry{}, fmt.Errorf("an object of pack %s has %d bytes, the limit is %d: %w", p.path, size, limit, kaijutsu.ErrTooLarge)
	}
	switch {
	case e.typ == offsetDelta:
		back, err := readBack(r)
		if err != nil || back <= 0 || back > off-12 {
			return packEntry{}, p.corrupt(off, "the base of a delta is outside of it")
		}
		e.base = off - back
	case e.typ == nameDelta:
		var raw [20]byte
		if _, err := io.ReadFull(r, raw[:]); err != nil {
			return packEntry{}, p.corrupt(off, err.Error())
		}
		e.name = Hash(hex.EncodeToString(raw[:]))
	case packKinds[e.typ] == "":
		return packEntry{}, p.corrupt(off, fmt.Sprintf("an entry is of type %d", e.typ))
	}
	if e.data, err = inflate(r, size); err != nil {
		return packEntry{}, p.corrupt(off, err.Error())
	}
	return e, nil
}

// readBack reads the distance to the base of a delta.
func readBack(r io.ByteReader) (int64, error) {
	c, err := r.ReadByte()
	n := int64(c & 0x7f)
	for err == nil && c&0x80 != 0 {
		if n > 1<<50 {
			return 0, errors.New("too far")
		}
		c, err = r.ReadByte()
		n = (n+1)<<7 | int64(c&0x7f)
	}
	return n, err
}

func inflate(r io.Reader, size int64) ([]byte, error) {
	z, ok := inflaters.Get().(io.ReadCloser)
	var err error
	if ok {
		err = z.(zlib.Resetter).Reset(r, nil)
	} else {
		z, err = zlib.NewReader(r)
	}
	if err != nil {
		return nil, err
	}
	defer inflaters.Put(z)
	return readExactly(z, size)
}

// applyDelta follows the instructions of a delta: copy from base, or insert.
func applyDelta(base, delta []byte, limit int64) ([]byte, error) {
	from, n := binary.Uvarint(delta)
	if n <= 0 || from != uint64(len(base)) {
		return nil, errors.New("a delta is for another base")
	}
	delta = delta[n:]
	size, n := binary.Uvarint(delta)
	if n <= 0 || size > maxObject {
		return nil, errors.New("the size in a delta")
	}
	if int64(size) > limit {
		return nil, fmt.Errorf("it has %d bytes, the limit is %d: %w", size, limit, kaijutsu.ErrTooLarge)
	}
	delta = delta[n:]
	out := make([]byte, 0, min(size, 1<<20))
	for len(delta) > 0 {
		op := delta[0]
		delta = delta[1:]
		if op == 0 {
			return nil, errors.New("a delta has an unknown instruction")
		}
		if op&0x80 == 0 {
			if int(op) > len(delta) {
				return nil, errors.New("a delta ends early")
			}
			out = append(out, delta[:op]...)
			delta = delta[op:]
		} else {
			var at, length uint64
			for i := range 7 {
				if op&(1<<i) == 0 {
					continue
				}
				if len(delta) == 0 {
					return nil, errors.New("a delta ends early")
				}
				if i < 4 {
					at |= uint64(delta[0]) << (8 * i)
				} else {
					length |= uint64(delta[0]) << (8 * (i - 4))
				}
				delta = delta[1:]
			}
			if length == 0 {
				length = 0x10000
			}
			if at+length > uint64(len(base)) {
				return nil, errors.New("a delta copies from outside of its base")
			}
			out = append(out, base[at:at+length]...)
		}
		if uint64(len(out)) > size {
			return nil, errors.New("a delta makes more than it states")
		}
	}
	if uint64(len(out)) != size {
		return nil, errors.New("a delta makes less than it states")
	}
	return out, nil
}

// beginning calls visit for the objects whose names begin so, a thousand at
// most.
func (p *pack) beginning(prefix string, visit func(Hash)) error {
	first := Hash(prefix + "0000000000000000000000000000000000000000"[len(prefix):])
	var want, name [20]byte
	if _, err := hex.Decode(want[:], []byte(first)); err != nil {
		return nil
	}
	lo, hi := uint32(0), p.count
	for lo < hi {
		mid := lo + (hi-lo)/2
		if _, err := p.index.ReadAt(name[:], 1032+20*int64(mid)); err != nil {
			return fmt.Errorf("reading the index of pack %s: %w", p.path, err)
		}
		if bytes.Compare(name[:], want[:]) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	for i := lo; i < p.count && i-lo <= maxAbbreviated; i++ {
		if _, err := p.index.ReadAt(name[:], 1032+20*int64(i)); err != nil {
			return fmt.Errorf("reading the index of pack %s: %w", p.path, err)
		}
		h := hex.EncodeToString(name[:])
		if h[:len(prefix)] != prefix {
			break
		}
		visit(Hash(h))
	}
	return nil
}
