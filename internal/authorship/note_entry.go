package authorship

import (
	"cmp"
	"slices"
	"strings"

	"kaijutsu/git"
)

// maxEntries is how many entries a file of a note may have before the changes
// of a session become one.
const maxEntries = 5000

// attestation turns the marks of a file's lines into entries, by their first
// lines, with ranges that are as long as can be.
func attestation(path string, marks []mark) git.FileAttest {
	if distinct(marks) > maxEntries {
		marks = folded(marks)
	}
	out := git.FileAttest{Path: path}
	at := make(map[string]int)
	for i, m := range marks {
		if m.key == "" {
			continue
		}
		key := m.String()
		k, ok := at[key]
		if !ok {
			k = len(out.Entries)
			at[key] = k
			out.Entries = append(out.Entries, git.Attest{Key: key})
		}
		ranges := &out.Entries[k].Ranges
		if n := len(*ranges); n > 0 && (*ranges)[n-1].Last == i {
			(*ranges)[n-1].Last = i + 1
		} else {
			*ranges = append(*ranges, git.LineRange{First: i + 1, Last: i + 1})
		}
	}
	return out
}

// distinct counts the entries that marks make.
func distinct(marks []mark) int {
	seen := make(map[string]struct{})
	for _, m := range marks {
		if m.key != "" {
			seen[m.String()] = struct{}{}
		}
	}
	return len(seen)
}

// folded gives all lines of a session the trace of its newest change.
func folded(marks []mark) []mark {
	newest := make(map[string]mark)
	for _, m := range marks {
		was, ok := newest[m.key]
		if !ok || cmp.Or(m.at.Compare(was.at), strings.Compare(m.trace, was.trace)) > 0 {
			newest[m.key] = m
		}
	}
	out := slices.Clone(marks)
	for i, m := range out {
		out[i] = newest[m.key]
	}
	return out
}
