package git

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

const (
	authorshipSchema = "authorship/3.0.0"
	maxLineNumber    = 1<<32 - 1 // what readers of the format count to
)

// Encode returns the note. It is deterministic and strict: ranges are sorted
// and joined, files without any are left out, and so is what the format has no
// way to write: paths with a line feed, keys with spaces, lines before 1.
func (a Authorship) Encode() []byte {
	var b bytes.Buffer
	for _, f := range a.joinedFiles() {
		path, ok := quotePath(f.Path)
		if !ok {
			continue
		}
		named := false
		for _, e := range f.Entries {
			ranges := joinRanges(e.Ranges)
			if len(ranges) == 0 || !writableKey(e.Key) {
				continue
			}
			if !named {
				b.WriteString(path + "\n")
				named = true
			}
			b.WriteString("  " + e.Key + " ")
			writeRanges(&b, ranges)
			b.WriteByte('\n')
		}
	}
	b.WriteString("---\n")
	json.Indent(&b, a.Meta.encode(), "", "  ") // of what encode made: no error
	b.WriteByte('\n')
	return b.Bytes()
}

// joinedFiles has each path once.
func (a Authorship) joinedFiles() []FileAttest {
	at := make(map[string]int, len(a.Files))
	var out []FileAttest
	for _, f := range a.Files {
		i, seen := at[f.Path]
		if !seen {
			at[f.Path] = len(out)
			out = append(out, FileAttest{f.Path, slices.Clone(f.Entries)})
			continue
		}
		out[i].Entries = append(out[i].Entries, f.Entries...)
	}
	return out
}

// quotePath returns a path as it stands in a note. Quotes are only taken off
// by readers, never unescaped, so a path that has its own is quoted again.
func quotePath(path string) (string, bool) {
	if path == "" || strings.ContainsAny(path, "\n\r\x00") {
		return "", false
	}
	if strings.ContainsFunc(path, unicode.IsSpace) || path[0] == '"' || path == "---" {
		return `"` + path + `"`, true
	}
	return path, true
}

func writableKey(key string) bool {
	return key != "" && len(key) <= maxAttestKey && !strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' })
}

// joinRanges sorts ranges and joins those that overlap or touch.
func joinRanges(ranges []LineRange) []LineRange {
	sorted := slices.Clone(ranges)
	slices.SortFunc(sorted, func(a, b LineRange) int { return cmp.Or(a.First-b.First, a.Last-b.Last) })
	var out []LineRange
	for _, r := range sorted {
		if r.First < 1 || r.Last < r.First || r.Last > maxLineNumber {
			continue
		}
		if n := len(out); n > 0 && r.First <= out[n-1].Last+1 {
			out[n-1].Last = max(out[n-1].Last, r.Last)
			continue
		}
		out = append(out, r)
	}
	return out
}

func writeRanges(b *bytes.Buffer, ranges []LineRange) {
	for i, r := range ranges {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(r.First))
		if r.Last > r.First {
			b.WriteByte('-')
			b.WriteString(strconv.Itoa(r.Last))
		}
	}
}

func (m AuthorshipMeta) encode() json.RawMessage {
	var o jsonObject
	o.add("schema_version", authorshipSchema)
	if m.Writer != "" {
		o.add("git_ai_version", m.Writer)
	}
	o.add("base_commit_sha", m.Base)
	o.addMap("prompts", m.Prompts, true)
	humans := make(map[string]json.RawMessage, len(m.Humans))
	for key, h := range m.Humans {
		var one jsonObject
		one.add("author", h.Author)
		one.addExtra(h.Extra)
		humans[key] = one.bytes()
	}
	o.addMap("humans", humans, false)
	sessions := make(map[string]json.RawMessage, len(m.Sessions))
	for key, s := range m.Sessions {
		sessions[key] = s.encode()
	}
	o.addMap("sessions", sessions, false)
	o.addExtra(m.Extra)
	return o.bytes()
}

func (s Session) encode() json.RawMessage {
	var agent, o jsonObject
	agent.add("tool", s.Tool)
	agent.add("id", s.ID)
	agent.add("model", s.Model)
	agent.addExtra(s.AgentExtra)
	o.add("agent_id", agent.bytes())
	if s.HumanAuthor != "" {
		o.add("human_author", s.HumanAuthor)
	}
	if len(s.Attributes) > 0 {
		o.add("custom_attributes", s.Attributes)
	}
	o.addExtra(s.Extra)
	return o.bytes()
}

// jsonObject writes an object whose members keep their order.
type jsonObject struct {
	b    bytes.Buffer
	seen map[string]bool
}

func (o *jsonObject) add(name string, value any) {
	if o.seen[name] {
		return
	}
	if raw, ok := value.(json.RawMessage); ok && !json.Valid(raw) {
		return
	}
	if o.seen == nil {
		o.seen = make(map[string]bool)
	}
	o.seen[name] = true
	if o.b.Len() > 0 {
		o.b.WriteByte(',')
	}
	for i, v := range []any{name, value} {
		if i > 0 {
			o.b.WriteByte(':')
		}
		enc := json.NewEncoder(&o.b)
		enc.SetEscapeHTML(false)
		enc.Encode(v) // strings, maps of them and valid raw values: no error
	}
}

func (o *jsonObject) addMap(name string, m map[string]json.RawMessage, always bool) {
	if len(m) == 0 && !always {
		return
	}
	var inner jsonObject
	inner.addExtra(m)
	o.add(name, inner.bytes())
}

func (o *jsonObject) addExtra(m map[string]json.RawMessage) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		o.add(name, m[name])
	}
}

func (o *jsonObject) bytes() json.RawMessage {
	return json.RawMessage("{" + o.b.String() + "}")
}
