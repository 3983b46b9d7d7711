package git

import "bytes"

// ToDisk returns what git writes into a worktree for content that it stores:
// line endings and $Id$ are put in. The result may share memory with the
// argument. Filters are not run, and an encoding that is not known is left
// alone: see Convertible.
func (a Attr) ToDisk(repo []byte) []byte {
	if a.Ident {
		repo = expandIdent(repo)
	}
	if a.EOL == "crlf" && a.Text != TextNo {
		repo = a.toCRLF(repo)
	}
	if a.Encoding != "" && len(repo) > 0 {
		if out, ok := encodeText(repo, a.Encoding); ok {
			return out
		}
	}
	return repo
}

// ToRepo returns what git stores for a file's content. index is the content
// that the index has for the path, nil for none: where git decides by itself
// what is text, it does not touch a file whose stored content has CR LF.
func (a Attr) ToRepo(disk, index []byte) []byte {
	return a.toRepo(disk, func() []byte { return index })
}

func (a Attr) toRepo(disk []byte, index func() []byte) []byte {
	if a.Encoding != "" && len(disk) > 0 {
		if out, ok := decodeEncoded(disk, a.Encoding); ok {
			disk = out
		}
	}
	if a.Text != TextNo {
		disk = a.toLF(disk, index)
	}
	if a.Ident {
		disk = collapseIdent(disk)
	}
	return disk
}

// Convertible reports whether ToDisk and ToRepo can do what the attributes
// ask: no filter, and an encoding that is known here.
func (a Attr) Convertible() bool {
	if a.Encoding != "" {
		if _, ok := encodeText(nil, a.Encoding); !ok {
			return false
		}
	}
	return a.Filter == ""
}

// toLF is crlf_to_git of git's convert.c.
func (a Attr) toLF(disk []byte, index func() []byte) []byte {
	if bytes.IndexByte(disk, '\r') < 0 {
		return disk
	}
	if a.Text == TextAuto {
		s := gatherText(disk)
		if s.binary() || s.crlf == 0 {
			return disk
		}
		// Compare has_crlf_in_index: such a file is not normalised.
		if in := index(); bytes.IndexByte(in, '\r') >= 0 {
			if t := gatherText(in); !t.binary() && t.crlf > 0 {
				return disk
			}
		}
	}
	return bytes.ReplaceAll(disk, []byte("\r\n"), []byte("\n"))
}

// toCRLF is crlf_to_worktree of git's convert.c.
func (a Attr) toCRLF(repo []byte) []byte {
	if len(repo) == 0 {
		return repo
	}
	s := gatherText(repo)
	if s.lf == 0 {
		return repo
	}
	if a.Text == TextAuto && (s.cr > 0 || s.crlf > 0 || s.binary()) {
		return repo
	}
	out := make([]byte, 0, len(repo)+s.lf)
	for i, c := range repo {
		if c == '\n' && (i == 0 || repo[i-1] != '\r') {
			out = append(out, '\r')
		}
		out = append(out, c)
	}
	return out
}

// textStats counts what git tells text and binary files apart by.
type textStats struct {
	nul, cr, lf, crlf    int // cr and lf alone
	printable, unprinted int
}

func gatherText(data []byte) textStats {
	var s textStats
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '\r':
			if i+1 < len(data) && data[i+1] == '\n' {
				s.crlf++
				i++
			} else {
				s.cr++
			}
		case c == '\n':
			s.lf++
		case c == 127:
			s.unprinted++
		case c >= 32, c == '\b', c == '\t', c == 27, c == '\f':
			s.printable++
		default:
			if c == 0 {
				s.nul++
			}
			s.unprinted++
		}
	}
	if n := len(data); n > 0 && data[n-1] == 26 { // the end-of-file mark of DOS
		s.unprinted--
	}
	return s
}

// binary is convert_is_binary of git's convert.c.
func (s textStats) binary() bool {
	return s.cr > 0 || s.nul > 0 || s.printable>>7 < s.unprinted
}

// expandIdent writes the name of the content into its $Id$ marks.
func expandIdent(data []byte) []byte {
	if !bytes.Contains(data, []byte("$Id")) {
		return data
	}
	clean := collapseIdent(data)
	name := []byte("$Id: " + string(hashObject(blobKind, clean)) + " $")
	return replaceIdent(data, func(old []byte) []byte {
		// A mark with spaces inside was made by another system: it is left.
		if inner := bytes.TrimSuffix(bytes.TrimPrefix(old, []byte("$Id: ")), []byte(" $")); len(inner) < len(old) && bytes.IndexByte(inner, ' ') >= 0 {
			return old
		}
		return name
	})
}

// collapseIdent takes out of the $Id$ marks what stands in them.
func collapseIdent(data []byte) []byte {
	if !bytes.Contains(data, []byte("$Id")) {
		return data
	}
	return replaceIdent(data, func([]byte) []byte { return []byte("$Id$") })
}

// replaceIdent replaces each $Id$ and each $Id: …$ of one line.
func replaceIdent(data []byte, with func(old []byte) []byte) []byte {
	var out []byte
	for {
		i := bytes.Index(data, []byte("$Id"))
		if i < 0 || i+3 >= len(data) {
			return append(out, data...)
		}
		end := -1
		switch rest := data[i+3:]; rest[0] {
		case '$':
			end = i + 4
		case ':':
			if n := bytes.IndexAny(rest, "$\n"); n >= 0 && rest[n] == '$' {
				end = i + 3 + n + 1
			}
		}
		if end < 0 {
			out, data = append(out, data[:i+3]...), data[i+3:]
			continue
		}
		out = append(append(out, data[:i]...), with(data[i:end])...)
		data = data[end:]
	}
}
