package torture

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// check looks for every line: on each branch, when it is checked out, in its file
// and in its block, and in every commit.
func (b *bench) check(ctx context.Context) error {
	b.r.Nodes, b.r.Rounds = len(b.s.nodes), b.g.Switches+b.g.Kills
	if err := b.where(ctx); err != nil {
		return err
	}
	// Twice: the first time makes known which context is of which branch.
	for round := range 2 {
		for range b.branches {
			if err := b.settle(ctx); err != nil {
				b.problem("%v", err)
			}
			if round == 1 {
				if err := b.checkFiles(ctx); err != nil {
					return err
				}
			}
			if err := b.commitByGit(ctx); err != nil {
				return err
			}
			to := b.branches[(slices.Index(b.branches, b.branch)+1)%len(b.branches)]
			if _, err := b.git(ctx, b.tree, "switch", "-q", to); err != nil {
				return err
			}
			b.branch = to
		}
	}
	for _, wrong := range b.book.wrong {
		b.problem("%s", wrong)
	}
	if err := b.checkCommits(ctx); err != nil {
		return err
	}
	if err := b.checkRepository(ctx); err != nil {
		return err
	}
	if b.g.Lines == 0 || b.g.ByServer == 0 || b.g.Switches == 0 || b.g.Attested == 0 {
		b.problem("%s: this run shows nothing", b.g)
	}
	b.r.latencies(b.s.ledger)
	checkLog(b.r, b.node.name, b.node.log())
	return nil
}

// checkFiles compares the files of the branch that is checked out, and their
// blocks.
func (b *bench) checkFiles(ctx context.Context) error {
	for _, name := range gitFiles {
		f, err := b.file(ctx, name)
		if err != nil {
			return err
		}
		onDisk, err := b.command(ctx, b.tree, "cat", name)
		if err != nil {
			return err
		}
		for where, text := range map[string]string{"file": onDisk, "block": f.Content} {
			wrong, n := b.book.compare(b.branch, name, text)
			for _, w := range wrong {
				b.problem("branch %s, %s %s: %s", b.branch, where, name, w)
			}
			if where == "file" {
				b.g.Lines += n
			}
		}
	}
	return nil
}

// checkCommits looks into every commit of every branch.
func (b *bench) checkCommits(ctx context.Context) error {
	texts := make(map[string]string) // by blob
	checked := make(map[string]bool)
	for _, branch := range b.branches {
		log, err := b.git(ctx, b.tree, "log", "--format=%H %cn", branch)
		if err != nil {
			return err
		}
		for line := range strings.Lines(log) {
			commit, committer, _ := strings.Cut(strings.TrimSpace(line), " ")
			files, err := b.filesOf(ctx, commit, texts)
			if err != nil {
				return err
			}
			for name, text := range files {
				for _, l := range b.book.foreign(branch, text) {
					b.problem("%q stands in %s of commit %s on branch %s, and is not of it", l, name, commit, branch)
				}
			}
			if !checked[commit] {
				checked[commit] = true
				b.g.Commits++
				if committer == "Kaijutsu" {
					if err := b.checkNote(ctx, commit, files); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// filesOf returns the files of a commit.
func (b *bench) filesOf(ctx context.Context, commit string, texts map[string]string) (map[string]string, error) {
	tree, err := b.git(ctx, b.tree, "ls-tree", "-r", commit)
	if err != nil {
		return nil, err
	}
	out := make(map[string]string)
	for line := range strings.Lines(tree) {
		what, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		fields := strings.Fields(what)
		if len(fields) != 3 {
			return nil, fmt.Errorf("git ls-tree says %q", line)
		}
		text, ok := texts[fields[2]]
		if !ok {
			if text, err = b.git(ctx, b.tree, "cat-file", "blob", fields[2]); err != nil {
				return nil, err
			}
			texts[fields[2]] = text
		}
		out[name] = text
	}
	return out, nil
}

// checkNote holds the note of a commit of the server's against who wrote the
// lines of the files that it changed.
func (b *bench) checkNote(ctx context.Context, commit string, files map[string]string) error {
	changed, err := b.git(ctx, b.tree, "diff-tree", "-r", "--no-commit-id", "--name-only", commit)
	if err != nil {
		return err
	}
	raw, err := b.git(ctx, b.tree, "notes", "--ref=ai", "show", commit)
	if err != nil {
		b.problem("commit %s has no note: %v", commit, err)
		return nil
	}
	n, err := parseNote(raw, commit)
	if err != nil {
		b.problem("the note of commit %s: %v", commit, err)
		return nil
	}
	b.g.Notes++
	for name := range strings.Lines(changed) {
		name = strings.TrimSuffix(name, "\n")
		for _, wrong := range n.compare(name, files[name]) {
			b.problem("the note of commit %s: %s", commit, wrong)
		}
		for _, who := range n[name] {
			if who != "" {
				b.g.Attested++
			}
		}
	}
	return nil
}

// checkRepository has git look at what is there.
func (b *bench) checkRepository(ctx context.Context) error {
	for _, dir := range []string{b.tree, b.repo} {
		out, err := b.git(ctx, dir, "fsck", "--full", "--strict")
		if err != nil || strings.Contains(out, "error") || strings.Contains(out, "missing") {
			b.problem("git fsck in %s: %v %s", dir, err, out)
		}
	}
	list, err := b.git(ctx, b.repo, "worktree", "list", "--porcelain")
	if err != nil || !strings.Contains(list, "worktree "+b.tree+"\n") || strings.Contains(list, "prunable") {
		b.problem("git worktree list: %v\n%s", err, list)
	}
	// The user's own checkout is as it was.
	status, err := b.git(ctx, b.repo, "status", "--porcelain", "--branch")
	if err != nil || strings.TrimSpace(status) != "## main" {
		b.problem("git status in the user's own checkout: %v\n%s", err, status)
	}
	return nil
}
