package mounts

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/git"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

const (
	// maxPassages is how many blocks of a conversation go into a prompt.
	maxPassages = 10
	// maxAnswer is the most bytes of a message that a model writes.
	maxAnswer = 8 << 10
)

// filesDistiller is who made a message without a model.
const filesDistiller = "files"

// message makes a message for a draft: a model's, of the changes and the last
// words of the caller's context, or, when none is configured, one that names the
// files.
func (m *Mounts) message(ctx context.Context, c op.Call, d *draft, into kaijutsu.DocumentID) (drift.Briefing, error) {
	asker, ok := m.cfg.Distillers.Default.(drift.Asker)
	if !ok {
		return drift.Briefing{Text: fromFiles(d.lines), Distiller: filesDistiller, Note: "no model is configured: the message names the files"}, nil
	}
	var passages []drift.Passage
	if !into.IsZero() {
		err := m.cfg.Kernel.View(ctx, c, into, func(v repo.View) error {
			passages = lastWords(v.Blocks())
			return nil
		})
		if err != nil {
			return drift.Briefing{}, err
		}
	}
	system, user := drift.CommitPrompt(d.patch(), passages)
	brief, err := asker.Ask(ctx, system, user)
	if err != nil {
		return brief, fmt.Errorf("summarize: %w; give a message instead", err)
	}
	brief.Text = cleanAnswer(brief.Text)
	if brief.Text == "" {
		return brief, fmt.Errorf("summarize: %s says nothing: %w; give a message instead", asker.Name(), kaijutsu.ErrUnavailable)
	}
	brief.Distiller = or(brief.Distiller, asker.Name())
	return brief, nil
}

// lastWords returns the last blocks of a conversation.
func lastWords(all []repo.Block) (out []drift.Passage) {
	for _, b := range slices.Backward(all) {
		if len(out) == maxPassages {
			break
		}
		if b.Excluded || b.Kind == blocks.KindFile || strings.TrimSpace(b.Content) == "" {
			continue
		}
		out = append(out, drift.Passage{ID: b.ID, Kind: string(b.Kind), Role: string(b.Role), Author: b.By.Name, Content: b.Content})
	}
	slices.Reverse(out)
	return out
}

// cleanAnswer takes the fence off a message that a model has put into one, and
// cuts one that goes on and on.
func cleanAnswer(s string) string {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD"))
	if rest, fenced := strings.CutPrefix(s, "```"); fenced {
		if _, body, ok := strings.Cut(rest, "\n"); ok {
			s = strings.TrimSuffix(strings.TrimSpace(body), "```")
		}
	}
	return git.CleanMessage(cutText(s, maxAnswer))
}

// fromFiles returns a message that says which files changed and how, and claims
// no more: a subject of a type, an optional scope and the files' names.
func fromFiles(files []CommittedFile) string {
	verb, scope := "update", path.Dir(files[0].Path)
	switch {
	case every(files, func(f CommittedFile) bool { return f.New }):
		verb = "add"
	case every(files, func(f CommittedFile) bool { return f.Deletion }):
		verb = "remove"
	}
	var names []string
	for _, f := range files {
		for !below(f.Path, scope) && scope != "." {
			scope = path.Dir(scope)
		}
		names = append(names, path.Base(f.Path))
	}
	kind := "change"
	switch {
	case every(files, func(f CommittedFile) bool { return path.Ext(f.Path) == ".md" || below(f.Path, "docs") }):
		kind = "docs"
	case every(files, func(f CommittedFile) bool { return isTest(path.Base(f.Path)) }):
		kind = "test"
	}
	if scope != "." {
		kind += "(" + cutText(scope, 40) + ")"
	}
	what := fmt.Sprintf("%d files", len(files))
	if len(names) <= 3 {
		what = strings.Join(names[:len(names)-1], ", ")
		if what != "" {
			what += " and "
		}
		what += names[len(names)-1]
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s %s\n", kind, verb, what)
	if len(files) > 1 {
		b.WriteByte('\n')
		for i, f := range files {
			if i == 50 {
				fmt.Fprintf(&b, "- and %d more\n", len(files)-i)
				break
			}
			fmt.Fprintf(&b, "- %s\n", f.line())
		}
	}
	return git.CleanMessage(b.String())
}

func every(files []CommittedFile, is func(CommittedFile) bool) bool {
	return !slices.ContainsFunc(files, func(f CommittedFile) bool { return !is(f) })
}

func isTest(name string) bool {
	return strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "test_") || strings.Contains(name, ".test.") || strings.Contains(name, ".spec.")
}

// line says in one line what became of a file.
func (f CommittedFile) line() string {
	what := fmt.Sprintf("%s +%d −%d", f.Path, f.Added, f.Deleted)
	switch {
	case f.Binary:
		what = f.Path + " (binary)"
	case f.Deletion:
		what = f.Path + " (deleted)"
	case f.New:
		what = fmt.Sprintf("%s +%d (new)", f.Path, f.Added)
	}
	return what
}
