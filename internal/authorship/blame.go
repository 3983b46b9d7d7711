package authorship

import (
	"context"
	"fmt"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/git"
)

// Where a line's writer is known from.
const (
	FromLog  = "log"
	FromNote = "note"
	FromGit  = "git"
	FromDisk = "disk"
)

// maxBlame is how many lines one answer has.
const maxBlame = 200_000

// Target says what to blame: a file that is a block, or, when Block is empty, a
// file of a commit.
type Target struct {
	// Git is where commits and notes are; nil: the log alone is asked.
	Git   *git.Worktree
	Doc   kaijutsu.DocumentID
	Block blocks.ID
	Path  string // of the file, relative to the worktree
	// OldPath is its path in Head when it was renamed since. Empty: it is looked
	// for when there is no Path in Head.
	OldPath string
	// Head is the commit to look in; empty: the one the worktree is at.
	Head        git.Hash
	First, Last int // lines, from 1; 0: from the first, to the last
}

// BlameLine is a line of a file and who wrote it last.
type BlameLine struct {
	Line int // from 1
	Text string
	// By is who; zero: nobody known here, and Author says who it is elsewhere.
	// A service of the server (Disk, Git): nobody knows.
	By, Via kaijutsu.Principal
	Model   string // of an agent
	Doc     kaijutsu.DocumentID
	Block   blocks.ID
	Change  kaijutsu.ChangeHash // from the log
	Time    time.Time
	Source  string   // FromLog, FromNote, FromGit, FromDisk
	Commit  git.Hash // from a note or git: the commit that git blames
	Author  string   // "Name <email>": of that commit, or of a person in its note; of an agent there its tool
	Key     string   // from a note: of the attestation
}

// Blame says of each line of a file who wrote it last, and from where that is
// known: the log; of lines that came out of git, or were in the file when it
// became a block, the note of the commit that git blames, or that commit's author
// if it is no younger than what the log knows; else nobody. What was edited on a
// disk since is nobody's for ever, whoever commits it.
// A file that is no block is as it is in Head. The error wraps
// kaijutsu.ErrNotFound when there is no such block, file or commit, ErrInvalid
// when the lines are out of order, and ErrTooLarge when they are too many.
func (b *Book) Blame(ctx context.Context, t Target) ([]BlameLine, error) {
	if t.First < 0 || t.Last < 0 || t.Last > 0 && t.First > t.Last {
		return nil, kaijutsu.About("lines", fmt.Errorf("lines: %d to %d: %w: want the first before the last, from 1", t.First, t.Last, kaijutsu.ErrInvalid))
	}
	if t.Git != nil && t.Head == "" {
		epoch, err := t.Git.Epoch()
		if err != nil {
			return nil, fmt.Errorf("blame %s: %w", t.Path, err)
		}
		t.Head = epoch.Head
	}
	blame := b.blameBlock
	if t.Block == "" {
		blame = b.blameCommit
	}
	out, err := blame(ctx, t)
	if err != nil {
		return nil, fmt.Errorf("blame %s: %w", t.Path, err)
	}
	return out, nil
}

// span returns the lines that a target asks for of those that there are, from 0
// with an exclusive end.
func (t Target) span(lines int) (from, to int, err error) {
	from, to = max(t.First-1, 0), lines
	if t.Last > 0 {
		to = min(t.Last, lines)
	}
	from = min(from, to)
	if to-from > maxBlame {
		return 0, 0, kaijutsu.About("lines", fmt.Errorf("%d lines: at most %d: %w: ask for a range of lines", to-from, maxBlame, kaijutsu.ErrTooLarge))
	}
	return from, to, nil
}

// blameBlock blames a file that is a block.
func (b *Book) blameBlock(ctx context.Context, t Target) ([]BlameLine, error) {
	w, err := b.written(ctx, t.Doc, t.Block, nil, nil)
	if err != nil {
		return nil, err
	}
	texts := splitLines(w.text)
	from, to, err := t.span(min(len(texts), len(w.lines)))
	if err != nil {
		return nil, err
	}
	out := make([]BlameLine, 0, to-from)
	unknown := false
	for i := from; i < to; i++ {
		l := w.lines[i]
		line := BlameLine{
			Line: i + 1, Text: texts[i], By: l.By, Via: l.Via, Model: l.Model, Doc: l.Doc, Block: t.Block, Change: l.Change, Time: l.Time,
			Source: FromLog,
		}
		unknown = unknown || l.fromGit()
		if l.By == Disk || l.By == Git {
			line.Source = FromDisk
		}
		out = append(out, line)
	}
	if unknown && t.Git != nil && t.Head != "" {
		err = b.blameUnknown(ctx, t, w.text, w.lines, out)
	}
	return out, err
}

// blameUnknown asks git for the lines that the log does not know.
func (b *Book) blameUnknown(ctx context.Context, t Target, text string, log []Line, lines []BlameLine) error {
	h, err := b.headFile(ctx, t, text)
	if err != nil || h == nil {
		return err
	}
	to := lineMap(h.text, text)
	a := b.asker(t.Git.Repo())
	for i := range lines {
		l := &lines[i]
		if !log[l.Line-1].fromGit() {
			continue
		}
		k := to[l.Line-1]
		if k < 0 || k >= len(h.origins) {
			continue
		}
		was := *l
		if err := a.ask(ctx, l, h.origins[k]); err != nil {
			return err
		}
		if made := l.Time; l.Source == FromGit && (made.After(was.Time) || was.By == Disk && made.Equal(was.Time)) {
			*l = was // who committed it later has not written it
		}
	}
	return nil
}
