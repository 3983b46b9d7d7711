package catalog

import (
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
)

// summariser shows blocks in short. It remembers the author and the time of
// the last one: those of the next are often the same.
type summariser struct {
	view    repo.View
	actor   kaijutsu.ActorID
	author  string
	time    time.Time
	created string
}

func (z *summariser) of(s *blocks.Summary) blockSummary {
	if s.Author != z.actor {
		z.actor = s.Author
		z.author, _ = authorOf(z.view, s.Author)
	}
	if !s.Created.Equal(z.time) {
		z.time, z.created = s.Created, timeText(s.Created)
	}
	out := blockSummary{
		ID: string(s.ID), Parent: string(s.Parent), Depth: s.Depth, Role: string(s.Role), Kind: string(s.Kind), Status: string(s.Status),
		Summary: s.Content, Lines: s.Lines, Author: z.author, Created: z.created,
		Deleted: s.Deleted, Collapsed: s.Collapsed, Excluded: s.Excluded, Ephemeral: s.Ephemeral,
	}
	if s.More {
		out.Summary += "… (" + strconv.Itoa(s.Lines) + " lines)"
	}
	return out
}

// AppendJSON writes the list as encoding/json would: a list of 10,000 blocks is
// the largest thing that is asked for often.
func (out blockListOut) AppendJSON(b []byte) []byte {
	size := 0
	for i := range out.Blocks {
		size += 250 + 2*len(out.Blocks[i].Summary)
	}
	b = append(make([]byte, 0, size+1000), b...)
	b = appendField(append(b, '{'), "context", out.Context)
	b = append(b, `,"blocks":[`...)
	for i := range out.Blocks {
		if i > 0 {
			b = append(b, ',')
		}
		b = out.Blocks[i].appendJSON(b)
	}
	b = appendNumber(append(b, ']'), "count", out.Count)
	if out.Next != "" {
		b = appendField(append(b, ','), "next", out.Next)
	}
	b = append(b, `,"version":`...)
	b = strconv.AppendUint(b, out.Version, 10)
	b = append(b, `,"heads":[`...)
	for i, h := range out.Heads {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, h)
	}
	return append(b, "]}"...)
}

func (s *blockSummary) appendJSON(b []byte) []byte {
	b = appendField(append(b, '{'), "id", s.ID)
	if s.Parent != "" {
		b = appendField(append(b, ','), "parent", s.Parent)
	}
	b = appendNumber(b, "depth", s.Depth)
	b = appendField(append(b, ','), "role", s.Role)
	b = appendField(append(b, ','), "kind", s.Kind)
	b = appendField(append(b, ','), "status", s.Status)
	b = appendField(append(b, ','), "summary", s.Summary)
	b = appendNumber(b, "line_count", s.Lines)
	b = appendField(append(b, ','), "author", s.Author)
	b = appendField(append(b, ','), "created", s.Created)
	for _, f := range [...]struct {
		on   bool
		name string
	}{{s.Deleted, "deleted"}, {s.Collapsed, "collapsed"}, {s.Excluded, "excluded"}, {s.Ephemeral, "ephemeral"}} {
		if f.on {
			b = append(append(append(b, `,"`...), f.name...), `":true`...)
		}
	}
	return append(b, '}')
}

func appendField(b []byte, name, value string) []byte {
	b = append(append(append(b, '"'), name...), `":`...)
	return appendString(b, value)
}

func appendNumber(b []byte, name string, n int) []byte {
	b = append(append(append(b, `,"`...), name...), `":`...)
	return strconv.AppendInt(b, int64(n), 10)
}

// appendString appends a JSON string. One that holds what encoding/json escapes,
// but for newlines and quotes, is left to it.
func appendString(b []byte, s string) []byte {
	start := len(b)
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' {
			continue
		}
		switch {
		case c == '\n':
			b = append(append(b, s[from:i]...), `\n`...)
		case c == '"' || c == '\\':
			b = append(append(b, s[from:i]...), '\\', c)
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError || r == '\u2028' || r == '\u2029' {
				return appendAny(b[:start], s)
			}
			i += size - 1
			continue
		default:
			return appendAny(b[:start], s)
		}
		from = i + 1
	}
	return append(append(b, s[from:]...), '"')
}

// appendAny appends a JSON string with whatever is in it.
func appendAny(b []byte, s string) []byte {
	var w writer
	enc := json.NewEncoder(&w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return append(b, `""`...) // strings can always be encoded
	}
	return append(b, w[:len(w)-1]...)
}

type writer []byte

func (w *writer) Write(p []byte) (int, error) {
	*w = append(*w, p...)
	return len(p), nil
}
