package git

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"kaijutsu"
)

const (
	maxNote      = 16 << 20 // bytes of a note
	maxAttestKey = 128      // bytes of an attestation's key
	maxNotePath  = 4096     // bytes of a path in a note
)

// ParseAuthorship reads a note of any version 3 of the format. It is lenient
// with what others write: a line of the first half that makes no sense is
// skipped, a record of the second half that makes none is left out, and what
// the format does not name is kept. A note without its divider or its JSON, or
// of another version, is refused with kaijutsu.ErrInvalid, one over 16 MiB with
// kaijutsu.ErrTooLarge.
func ParseAuthorship(note []byte) (Authorship, error) {
	if len(note) > maxNote {
		return Authorship{}, fmt.Errorf("authorship note: over %d bytes: %w", maxNote, kaijutsu.ErrTooLarge)
	}
	if !utf8.Valid(note) {
		return Authorship{}, fmt.Errorf("authorship note: is not UTF-8: %w", kaijutsu.ErrInvalid)
	}
	var a Authorship
	rest := string(note)
	for {
		line, after, more := strings.Cut(rest, "\n")
		rest = after
		if line == "---" || line == "---\r" {
			break
		}
		if !more {
			return Authorship{}, fmt.Errorf(`authorship note: has no line "---": %w`, kaijutsu.ErrInvalid)
		}
		a.parseLine(strings.TrimRightFunc(line, unicode.IsSpace))
	}
	a.dropEmpty()
	if err := a.Meta.parse([]byte(rest)); err != nil {
		return Authorship{}, fmt.Errorf("authorship note: %w", err)
	}
	return a, nil
}

func (a *Authorship) parseLine(line string) {
	if line == "" {
		return
	}
	entry, isEntry := strings.CutPrefix(line, "  ")
	if !isEntry {
		if len(line) > 1 && line[0] == '"' && line[len(line)-1] == '"' {
			line = line[1 : len(line)-1]
		}
		a.Files = append(a.Files, FileAttest{Path: line})
		return
	}
	key, ranges, ok := strings.Cut(entry, " ")
	if !ok || !writableKey(key) || len(a.Files) == 0 {
		return
	}
	if got := parseRanges(ranges); len(got) > 0 {
		f := &a.Files[len(a.Files)-1]
		f.Entries = append(f.Entries, Attest{Key: key, Ranges: got})
	}
}

// dropEmpty takes out files without entries and those whose path no commit can
// have.
func (a *Authorship) dropEmpty() {
	kept := a.Files[:0]
	for _, f := range a.Files {
		if len(f.Entries) > 0 && f.Path != "" && len(f.Path) <= maxNotePath && !strings.ContainsAny(f.Path, "\x00\r") {
			kept = append(kept, f)
		}
	}
	a.Files = kept
}

func parseRanges(s string) []LineRange {
	var out []LineRange
	for part := range strings.SplitSeq(s, ",") {
		first, last, pair := strings.Cut(part, "-")
		if !pair {
			last = first
		}
		x, err1 := strconv.ParseUint(first, 10, 32)
		y, err2 := strconv.ParseUint(last, 10, 32)
		if err1 == nil && err2 == nil && 0 < x && x <= y && y <= math.MaxInt {
			out = append(out, LineRange{int(x), int(y)})
		}
	}
	return joinRanges(out)
}

func (m *AuthorshipMeta) parse(data []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil || fields == nil {
		return fmt.Errorf("its second half is no JSON object: %w", kaijutsu.ErrInvalid)
	}
	var schema, base string
	take(fields, "schema_version", &schema)
	if !strings.HasPrefix(schema, "authorship/3.") {
		return fmt.Errorf("schema_version is %.40q, not authorship/3: %w", schema, kaijutsu.ErrInvalid)
	}
	take(fields, "git_ai_version", &m.Writer)
	take(fields, "base_commit_sha", &base)
	if isHash(base) {
		m.Base = Hash(base)
	}
	take(fields, "prompts", &m.Prompts)
	var humans, sessions map[string]map[string]json.RawMessage
	take(fields, "humans", &humans)
	take(fields, "sessions", &sessions)
	m.parseHumans(humans)
	m.parseSessions(sessions)
	m.Extra = kept(fields)
	return nil
}

func (m *AuthorshipMeta) parseHumans(humans map[string]map[string]json.RawMessage) {
	for key, fields := range humans {
		var h Human
		if !take(fields, "author", &h.Author) {
			continue
		}
		h.Extra = kept(fields)
		if m.Humans == nil {
			m.Humans = make(map[string]Human, len(humans))
		}
		m.Humans[key] = h
	}
}

func (m *AuthorshipMeta) parseSessions(sessions map[string]map[string]json.RawMessage) {
	for key, fields := range sessions {
		var agent map[string]json.RawMessage
		if !take(fields, "agent_id", &agent) {
			continue
		}
		var s Session
		take(agent, "tool", &s.Tool)
		take(agent, "id", &s.ID)
		take(agent, "model", &s.Model)
		take(fields, "human_author", &s.HumanAuthor)
		take(fields, "custom_attributes", &s.Attributes)
		s.AgentExtra, s.Extra = kept(agent), kept(fields)
		if m.Sessions == nil {
			m.Sessions = make(map[string]Session, len(sessions))
		}
		m.Sessions[key] = s
	}
}

// take moves a member out of fields into a value; what is not of the value's
// type stays where it is, except null.
func take[T any](fields map[string]json.RawMessage, name string, into *T) bool {
	raw, ok := fields[name]
	if !ok {
		return false
	}
	if bytes.Equal(raw, []byte("null")) {
		delete(fields, name)
		return false
	}
	var v T
	if json.Unmarshal(raw, &v) != nil {
		return false
	}
	delete(fields, name)
	*into = v
	return true
}

func kept(fields map[string]json.RawMessage) map[string]json.RawMessage {
	if len(fields) == 0 {
		return nil
	}
	return fields
}
