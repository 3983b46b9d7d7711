package git

import (
	"maps"
	"slices"
)

// carryNotes returns the note of a new commit with a tree: each line's writer
// is looked for in the old commits, from the last to the first.
func (r *Repo) carryNotes(sources []noteSource, commit, tree Hash) (Authorship, error) {
	out := Authorship{Meta: mergeMeta(sources)}
	out.Meta.Base = commit
	paths, err := r.carriedPaths(sources, tree)
	if err != nil {
		return out, err
	}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		f, err := r.carryFile(path, paths[path], sources, tree)
		if err != nil {
			return out, err
		}
		if len(f.Entries) > 0 {
			out.Files = append(out.Files, f)
		}
	}
	return out, nil
}

// carriedPaths returns the files of the tree that an old note has lines of,
// with the name that each has in each source; renames are followed.
func (r *Repo) carriedPaths(sources []noteSource, tree Hash) (map[string][]string, error) {
	out := make(map[string][]string)
	for i, s := range sources {
		moved := make(map[string]string)
		for _, f := range s.note.Files {
			to := f.Path
			_, ok, err := r.fileIn(tree, f.Path)
			if err != nil {
				return nil, err
			}
			if !ok {
				if to, ok, err = r.movedTo(s.tree, tree, f.Path, moved); err != nil {
					return nil, err
				}
			}
			if !ok {
				continue
			}
			if out[to] == nil {
				out[to] = make([]string, len(sources))
			}
			out[to][i] = f.Path
		}
	}
	return out, nil
}

// movedTo returns the new name of a file that tree has no longer under its old
// one. moved keeps the answer for all files of the two trees.
func (r *Repo) movedTo(from, tree Hash, path string, moved map[string]string) (string, bool, error) {
	if len(moved) == 0 {
		pairs, err := r.renames(from, tree)
		if err != nil {
			return "", false, err
		}
		moved[""] = "" // the answer is there, even if no file moved
		for _, p := range pairs {
			moved[p.from] = p.to
		}
	}
	to, ok := moved[path]
	return to, ok, nil
}

func (r *Repo) carryFile(path string, oldPaths []string, sources []noteSource, tree Hash) (FileAttest, error) {
	f := FileAttest{Path: path}
	e, ok, err := r.fileIn(tree, path)
	if err != nil || !ok {
		return f, err
	}
	text, err := r.readKind(e.Hash, blobKind)
	if err != nil {
		return f, err
	}
	keys := make([]string, countLines(text))
	for i, s := range slices.Backward(sources) {
		if oldPaths[i] == "" {
			continue
		}
		old, ok, err := r.fileIn(s.tree, oldPaths[i])
		if err != nil {
			return f, err
		}
		if !ok {
			continue
		}
		oldText, err := r.readKind(old.Hash, blobKind)
		if err != nil {
			return f, err
		}
		from := s.note.lineKeys(oldPaths[i], countLines(oldText))
		for _, run := range sameLines(oldText, text) {
			for k := range run.n {
				if keys[run.b+k] == "" {
					keys[run.b+k] = from[run.a+k]
				}
			}
		}
	}
	f.Entries = attestLines(keys)
	return f, nil
}

// lineKeys returns the key of the writer of each of the n lines that a file
// has; "" where the note does not say.
func (a Authorship) lineKeys(path string, n int) []string {
	keys := make([]string, n)
	for _, f := range a.Files {
		if f.Path != path {
			continue
		}
		for _, e := range f.Entries {
			for _, r := range e.Ranges {
				for line := r.First; line <= min(r.Last, n); line++ {
					keys[line-1] = e.Key
				}
			}
		}
	}
	return keys
}

// attestLines is the entries of a file whose line i+1 has the writer keys[i].
func attestLines(keys []string) []Attest {
	ranges := make(map[string][]LineRange)
	for i, key := range keys {
		if key == "" {
			continue
		}
		rs := ranges[key]
		if n := len(rs); n > 0 && rs[n-1].Last == i {
			rs[n-1].Last++
			continue
		}
		ranges[key] = append(rs, LineRange{i + 1, i + 1})
	}
	var out []Attest
	for _, key := range slices.Sorted(maps.Keys(ranges)) {
		out = append(out, Attest{key, ranges[key]})
	}
	return out
}

// mergeMeta puts together what the old notes name; the later note wins.
func mergeMeta(sources []noteSource) AuthorshipMeta {
	var out AuthorshipMeta
	for _, s := range sources {
		m := s.note.Meta
		if m.Writer != "" {
			out.Writer = m.Writer
		}
		out.Prompts = joined(out.Prompts, m.Prompts)
		out.Humans = joined(out.Humans, m.Humans)
		out.Sessions = joined(out.Sessions, m.Sessions)
		out.Extra = joined(out.Extra, m.Extra)
	}
	return out
}

func joined[V any](a, b map[string]V) map[string]V {
	if len(a)+len(b) == 0 {
		return nil
	}
	out := make(map[string]V, len(a)+len(b))
	maps.Copy(out, a)
	maps.Copy(out, b)
	return out
}
