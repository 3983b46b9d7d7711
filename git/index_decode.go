package git

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"kaijutsu"
)

const (
	maxIndexFile    = 512 << 20
	maxIndexEntries = maxTreeFiles
)

// decodeIndex reads versions 2, 3 and 4 of
// git-scm.com/docs/index-format. Required extensions that are not understood,
// a split index and a sparse index among them, are refused.
func decodeIndex(data []byte) (*Index, error) {
	if len(data) < 32 || string(data[:4]) != "DIRC" {
		return nil, fmt.Errorf("it is no index: %w", kaijutsu.ErrInvalid)
	}
	body, sum := data[:len(data)-20], data[len(data)-20:]
	if got := sha1.Sum(body); !bytes.Equal(got[:], sum) && !bytes.Equal(sum, make([]byte, 20)) {
		return nil, fmt.Errorf("its checksum is wrong; git read-tree HEAD makes it anew: %w", kaijutsu.ErrInvalid)
	}
	d := indexDecoder{data: body, text: string(body), at: 12}
	x := &Index{Version: int(binary.BigEndian.Uint32(data[4:]))}
	if x.Version < 2 || x.Version > 4 {
		return nil, fmt.Errorf("its version is %d, only 2 to 4 are understood: %w", x.Version, kaijutsu.ErrUnavailable)
	}
	n := int64(binary.BigEndian.Uint32(data[8:]))
	if n > maxIndexEntries || n > int64(len(body))/63+1 {
		return nil, fmt.Errorf("it states %d entries: %w", n, kaijutsu.ErrInvalid)
	}
	if err := d.entries(x, int(n)); err != nil {
		return nil, err
	}
	if err := d.extensions(x); err != nil {
		return nil, err
	}
	if err := x.check(); err != nil {
		return nil, err
	}
	x.sum = [20]byte(sum)
	return x, nil
}

// check refuses entries that cannot be: what they mean is known only after the
// extensions are.
func (x *Index) check() error {
	for i := range x.Entries {
		e := &x.Entries[i]
		if err := checkIndexEntry(e); err != nil {
			return err
		}
		if i > 0 && compareIndex(x.Entries[i-1], *e) >= 0 {
			return fmt.Errorf("its entries %.200q and %.200q are not in order: %w", x.Entries[i-1].Path, e.Path, kaijutsu.ErrInvalid)
		}
	}
	return nil
}

type indexDecoder struct {
	data []byte
	text string // the same bytes; paths share them
	at   int
}

func (d *indexDecoder) short() error {
	return fmt.Errorf("it ends early, at %d: %w", d.at, kaijutsu.ErrInvalid)
}

func (d *indexDecoder) entries(x *Index, n int) error {
	x.Entries = make([]IndexEntry, n)
	names := make([]byte, 40*n) // of all objects; their strings share it
	for i := range x.Entries {
		e := &x.Entries[i]
		start := d.at
		if len(d.data)-start < 62 {
			return d.short()
		}
		raw := d.data[start:]
		u := func(at int) uint32 { return binary.BigEndian.Uint32(raw[at:]) }
		e.Stat = IndexStat{u(0), u(4), u(8), u(12), u(16), u(20), u(28), u(32), u(36)}
		e.Mode = Mode(u(24))
		hex.Encode(names[40*i:], raw[40:60])
		flags := binary.BigEndian.Uint16(raw[60:])
		e.AssumeValid = flags&0x8000 != 0
		e.Stage = int(flags >> 12 & 3)
		d.at += 62
		if flags&0x4000 != 0 {
			if x.Version < 3 || len(raw) < 64 {
				return d.short()
			}
			more := binary.BigEndian.Uint16(raw[62:])
			e.SkipWorktree, e.IntentToAdd = more&0x4000 != 0, more&0x2000 != 0
			d.at += 2
		}
		prev := ""
		if i > 0 {
			prev = x.Entries[i-1].Path
		}
		var err error
		if e.Path, err = d.path(x.Version, start, prev); err != nil {
			return err
		}
	}
	all := string(names)
	for i := range x.Entries {
		x.Entries[i].Hash = Hash(all[40*i : 40*i+40])
	}
	return nil
}

// path reads a name that begins at d.at, of the entry that began at start.
func (d *indexDecoder) path(version, start int, prev string) (string, error) {
	if version == 4 {
		strip, ok := d.varint()
		if !ok || strip > len(prev) {
			return "", d.short()
		}
		end := strings.IndexByte(d.text[d.at:], 0)
		if end < 0 || end > maxPath {
			return "", d.short()
		}
		path := prev[:len(prev)-strip] + d.text[d.at:d.at+end]
		d.at += end + 1
		return path, nil
	}
	end := strings.IndexByte(d.text[d.at:], 0)
	if end < 0 {
		return "", d.short()
	}
	path := d.text[d.at : d.at+end]
	length := (d.at + end - start + 8) &^ 7
	if start+length > len(d.data) {
		return "", d.short()
	}
	d.at = start + length
	return path, nil
}

// varint reads the numbers of version 4, which are those of offsets in packs.
func (d *indexDecoder) varint() (int, bool) {
	n := 0
	for first := true; ; first = false {
		if d.at >= len(d.data) || n > maxPath*2 {
			return 0, false
		}
		c := d.data[d.at]
		d.at++
		if !first {
			n++
		}
		n = n<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return n, true
		}
	}
}

func checkIndexEntry(e *IndexEntry) error {
	switch e.Mode {
	case Regular, Executable, Symlink, Submodule:
	default:
		return fmt.Errorf("its entry %.200q has the mode %v: %w", e.Path, e.Mode, kaijutsu.ErrInvalid)
	}
	if err := checkPath(e.Path, e.Mode); err != nil {
		return fmt.Errorf("in it: %w", err)
	}
	return nil
}

// extensions reads what follows the entries. Those that a change of any entry
// would make wrong, and that git makes anew, are not kept.
func (d *indexDecoder) extensions(x *Index) error {
	for d.at < len(d.data) {
		if len(d.data)-d.at < 8 {
			return d.short()
		}
		name := d.text[d.at : d.at+4]
		size := int64(binary.BigEndian.Uint32(d.data[d.at+4:]))
		d.at += 8
		if size > int64(len(d.data)-d.at) {
			return d.short()
		}
		data := d.data[d.at : d.at+int(size)]
		d.at += int(size)
		switch {
		case name == "TREE":
			x.trees = parseCacheTree(data, len(x.Entries))
		case name == "link":
			return fmt.Errorf("it is a split index; git update-index --no-split-index joins it: %w", kaijutsu.ErrUnavailable)
		case name == "sdir":
			return fmt.Errorf("it is a sparse index; git sparse-checkout set --no-sparse-index fills it: %w", kaijutsu.ErrUnavailable)
		case name == "EOIE" || name == "IEOT":
		case name[0] >= 'A' && name[0] <= 'Z':
			x.kept = append(x.kept, indexExtension{name, data})
		default:
			return fmt.Errorf("its extension %q is not understood: %w", name, kaijutsu.ErrUnavailable)
		}
	}
	return nil
}
