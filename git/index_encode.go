package git

import (
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"kaijutsu"
)

// encode returns the index file. Entries keep every bit that they were read
// with; the version goes up to 3 where an entry needs it, and back to 2.
func (x *Index) encode() ([]byte, error) { return x.encodeAfter(nil) }

// encodeAfter is encode where entries of an index that was read are known to be
// good, and only others are looked at.
func (x *Index) encodeAfter(read []IndexEntry) ([]byte, error) {
	version := x.Version
	if version != 4 {
		version = 2
		for i := range x.Entries {
			if x.Entries[i].extended() != 0 {
				version = 3
				break
			}
		}
	}
	out := make([]byte, 0, 12+len(x.Entries)*100)
	out = append(out, "DIRC"...)
	out = binary.BigEndian.AppendUint32(out, uint32(version))
	out = binary.BigEndian.AppendUint32(out, uint32(len(x.Entries)))
	prev := ""
	for i := range x.Entries {
		e := &x.Entries[i]
		if i > 0 && compareIndex(x.Entries[i-1], *e) >= 0 {
			return nil, fmt.Errorf("entries %.200q and %.200q are not in order: %w", prev, e.Path, kaijutsu.ErrInvalid)
		}
		for len(read) > 0 && compareIndex(read[0], *e) < 0 {
			read = read[1:]
		}
		if len(read) == 0 || read[0] != *e {
			if err := e.check(); err != nil {
				return nil, err
			}
		}
		out = e.append(out, version, prev)
		prev = e.Path
	}
	if x.trees != nil {
		out = appendExtension(out, "TREE", x.trees.append(nil, ""))
	}
	for _, ext := range x.kept {
		out = appendExtension(out, ext.name, ext.data)
	}
	sum := sha1.Sum(out)
	return append(out, sum[:]...), nil
}

// check refuses an entry that no index may have.
func (e *IndexEntry) check() error {
	if !isHash(string(e.Hash)) || e.Stage < 0 || e.Stage > 3 {
		return fmt.Errorf("entry %.200q has no object name, or no such stage: %w", e.Path, kaijutsu.ErrInvalid)
	}
	return checkIndexEntry(e)
}

func appendExtension(out []byte, name string, data []byte) []byte {
	out = append(out, name...)
	out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
	return append(out, data...)
}

// extended returns the flags that version 2 has no room for.
func (e *IndexEntry) extended() uint16 {
	var f uint16
	if e.SkipWorktree {
		f |= 0x4000
	}
	if e.IntentToAdd {
		f |= 0x2000
	}
	return f
}

func (e *IndexEntry) append(out []byte, version int, prev string) []byte {
	start := len(out)
	s := e.Stat
	for _, v := range []uint32{s.CTimeSec, s.CTimeNano, s.MTimeSec, s.MTimeNano, s.Dev, s.Ino, uint32(e.Mode), s.UID, s.GID, s.Size} {
		out = binary.BigEndian.AppendUint32(out, v)
	}
	out, _ = hex.AppendDecode(out, []byte(e.Hash)) // 40 digits, looked at before
	flags := uint16(min(len(e.Path), 0xfff)) | uint16(e.Stage)<<12
	if e.AssumeValid {
		flags |= 0x8000
	}
	more := e.extended()
	if more != 0 {
		flags |= 0x4000
	}
	out = binary.BigEndian.AppendUint16(out, flags)
	if more != 0 {
		out = binary.BigEndian.AppendUint16(out, more)
	}
	if version == 4 {
		common := commonPrefix(prev, e.Path)
		out = appendVarint(out, len(prev)-common)
		return append(append(out, e.Path[common:]...), 0)
	}
	out = append(out, e.Path...)
	length := (len(out) - start + 8) &^ 7
	return append(out, strings.Repeat("\x00", start+length-len(out))...)
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// appendVarint writes a number as version 4 does.
func appendVarint(out []byte, n int) []byte {
	var buf [10]byte
	at := len(buf) - 1
	buf[at] = byte(n & 0x7f)
	for n >>= 7; n != 0; n >>= 7 {
		n--
		at--
		buf[at] = 0x80 | byte(n&0x7f)
	}
	return append(out, buf[at:]...)
}
