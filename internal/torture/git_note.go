package torture

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"kaijutsu"
)

// lineNote is a note of the format authorship/3.0.0, as a reader of it has it: by
// path, who wrote each line, from 1.
type lineNote map[string]map[int]string

// errNote is that a note is none.
var errNote = fmt.Errorf("it is not of the format: %w", kaijutsu.ErrInvalid)

// parseNote reads a note. It follows the format and trusts nothing.
func parseNote(raw, commit string) (lineNote, error) {
	attests, rest, ok := strings.Cut(raw, "---\n")
	if !ok {
		return nil, errNote
	}
	var meta struct {
		Schema string `json:"schema_version"`
		Base   string `json:"base_commit_sha"`
		Humans map[string]struct {
			Author string `json:"author"`
		} `json:"humans"`
		Sessions map[string]struct {
			Agent struct {
				Tool  string `json:"tool"`
				Model string `json:"model"`
			} `json:"agent_id"`
		} `json:"sessions"`
	}
	if err := json.Unmarshal([]byte(rest), &meta); err != nil || meta.Schema != "authorship/3.0.0" || meta.Base != commit {
		return nil, fmt.Errorf("%w: %q of %q, %w", errNote, meta.Schema, meta.Base, err)
	}
	writer := func(key string) string {
		if h, ok := meta.Humans[key]; ok {
			for _, w := range gitWriters {
				if h.Author == fmt.Sprintf("%s <%s>", fullName(w.name), addressOf(w.name)) && w.kind == "person" {
					return w.name
				}
			}
		}
		session, _, _ := strings.Cut(key, "::")
		if s, ok := meta.Sessions[session]; ok && s.Agent.Model != "" {
			return s.Agent.Tool
		}
		return "whoever is " + key
	}
	n, path := make(lineNote), ""
	for line := range strings.Lines(attests) {
		entry, isEntry := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "  ")
		if !isEntry {
			path = strings.Trim(entry, `"`)
			n[path] = make(map[int]string)
			continue
		}
		key, ranges, ok := strings.Cut(entry, " ")
		if !ok || path == "" {
			return nil, fmt.Errorf("%w: %q", errNote, line)
		}
		for r := range strings.SplitSeq(ranges, ",") {
			from, to, isRange := strings.Cut(r, "-")
			if !isRange {
				to = from
			}
			first, err1 := strconv.Atoi(from)
			last, err2 := strconv.Atoi(to)
			if err1 != nil || err2 != nil || first < 1 || last < first || last > 1<<20 {
				return nil, fmt.Errorf("%w: %q", errNote, line)
			}
			for i := first; i <= last; i++ {
				n[path][i] = writer(key)
			}
		}
	}
	return n, nil
}

// compare says of which lines of a file a note names another writer than they
// name themselves.
func (n lineNote) compare(path, text string) (wrong []string) {
	i := 0
	for line := range strings.Lines(text) {
		i++
		line = strings.TrimSuffix(line, "\n")
		if got, want := n[path][i], writerOf(line); got != want {
			wrong = append(wrong, fmt.Sprintf("line %d of %s, %q, is by %q", i, path, line, got))
		}
	}
	for at := range n[path] {
		if at > i {
			wrong = append(wrong, fmt.Sprintf("%s has %d lines, not %d", path, i, at))
			break
		}
	}
	return wrong
}
