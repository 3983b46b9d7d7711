package mounts

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/git"
	"kaijutsu/internal/authorship"
	"kaijutsu/internal/op"
	"kaijutsu/internal/worktree"
)

// CommitSpec says what to commit, and how.
type CommitSpec struct {
	At string // the mount, or a path in it
	// Paths are files, or directories for everything that changed below them, from
	// the root or from the mount; Blocks are files by their blocks; All is
	// everything that changed. One of them is needed.
	Paths  []string
	Blocks []blocks.ID
	All    bool
	// Message is the commit's; Summarize has it made of the changes instead, and
	// shown: nothing is committed then unless Yes.
	Message        string
	Summarize, Yes bool
	// DryRun says what would be committed.
	DryRun bool
	Author string // policy of this commit; "": the mount's
	Sign   *bool  // nil: if there is a key
	// Into is a context that is told of the commit beside the mount's; zero: none.
	Into kaijutsu.DocumentID
}

// Committed is a commit, or what would be one.
type Committed struct {
	Preview   bool // nothing was committed
	Mount     string
	Hash      git.Hash
	Parent    git.Hash
	Branch    string
	Subject   string
	Message   string // with its trailers
	Author    git.Signature
	CoAuthors []git.Signature
	Committer git.Signature
	Trailers  []git.Trailer
	Files     []CommittedFile // by path
	Signed    bool
	Note      bool // says who wrote which lines
	// Context and Block are where the mount's context tells of the commit, Copy the
	// block in the caller's.
	Context kaijutsu.DocumentID
	Block   blocks.ID
	Copy    blocks.ID
	// Distiller and Model are who made the message, if it was made.
	Distiller, Model string
	Notice           string // what else is to be known
}

// CommittedFile is a file of a commit.
type CommittedFile struct {
	Path           string // in the mount
	Block          blocks.ID
	Added, Deleted int // lines
	Binary         bool
	New, Deletion  bool
	Shares         []authorship.Share // who wrote how much of what is new
}

// Commit commits exactly the chosen files, as their blocks are, or as they are on
// the disk where they are none. Errors name the parameter; they wrap
// kaijutsu.ErrConflict when there is nothing to commit, a file is in conflict, or
// somebody else commits at the same time.
func (m *Mounts) Commit(ctx context.Context, c op.Call, spec CommitSpec) (_ Committed, err error) {
	defer m.veil(c, &err)
	if err := m.checkCommit(c, &spec); err != nil {
		return Committed{}, err
	}
	s, leave, err := m.writable(ctx, c, spec.At)
	if err != nil {
		return Committed{}, err
	}
	if !spec.Summarize {
		defer leave()
		return m.commit(ctx, c, s, spec, nil)
	}
	d, err := m.draft(ctx, c, s, spec)
	leave() // others may commit while a model thinks
	if err != nil {
		return Committed{}, err
	}
	brief, err := m.message(ctx, c, d, spec.Into)
	if err != nil {
		return Committed{}, err
	}
	spec.Message = brief.Text
	out := Committed{}
	if spec.DryRun || !spec.Yes {
		if err := d.sign(m, c, spec); err != nil {
			return Committed{}, err
		}
		out = d.shown()
		out.Preview = true
	} else {
		if s, leave, err = m.writable(ctx, c, spec.At); err != nil {
			return Committed{}, err
		}
		defer leave()
		if out, err = m.commit(ctx, c, s, spec, d); err != nil {
			return Committed{}, err
		}
	}
	out.Distiller, out.Model = brief.Distiller, brief.Model
	out.Notice = joined(out.Notice, brief.Note)
	return out, nil
}

// maxMessage is the most bytes of a message, as long as one argument of an
// operation may sensibly be.
const maxMessage = 64 << 10

// checkCommit refuses what contradicts itself before anything is looked at.
func (m *Mounts) checkCommit(c op.Call, spec *CommitSpec) error {
	chosen := 0
	for _, given := range []bool{len(spec.Paths) > 0, len(spec.Blocks) > 0, spec.All} {
		if given {
			chosen++
		}
	}
	spec.Message = git.CleanMessage(spec.Message)
	switch {
	case chosen == 0:
		return &op.FieldError{Field: "paths", Reason: "nothing is chosen", Hint: "name files or directories, or say all"}
	case spec.All && chosen > 1:
		return &op.FieldError{Field: "all", Reason: "all and a choice contradict each other", Hint: "leave one out"}
	case len(spec.Blocks) > maxChosen:
		return kaijutsu.About("blocks", fmt.Errorf("blocks: %d: %w: at most %d", len(spec.Blocks), kaijutsu.ErrTooLarge, maxChosen))
	case spec.Summarize && spec.Message != "":
		return &op.FieldError{Field: "message", Reason: "a message and summarize contradict each other", Hint: "leave one out"}
	case !spec.Summarize && spec.Message == "" && !spec.DryRun:
		return &op.FieldError{Field: "message", Reason: "it is empty", Hint: "say what the commit does, or use summarize"}
	case len(spec.Message) > maxMessage:
		return kaijutsu.About("message", fmt.Errorf("message of %d bytes: %w: at most %d", len(spec.Message), kaijutsu.ErrTooLarge, maxMessage))
	case spec.Sign != nil && *spec.Sign && m.cfg.Signer == nil:
		return &op.FieldError{Field: "sign", Reason: "the server has no key to sign with", Hint: "start it with one, or leave sign out"}
	}
	if err := checkAuthor(spec.Author); err != nil {
		return err
	}
	if spec.Into.IsZero() {
		return nil
	}
	switch right := m.cfg.Kernel.Right(c, spec.Into); {
	case right < kaijutsu.RightRead:
		return kaijutsu.About("context", fmt.Errorf("context %s: %w on this server", spec.Into.Name(), kaijutsu.ErrNotFound))
	case right < kaijutsu.RightComment || m.cfg.Kernel.Archived(spec.Into):
		spec.Into = kaijutsu.DocumentID{} // it may be read, and is not told
	}
	return nil
}

// commit makes the commit of a draft that is made now. One that was made before
// must be the same: its message speaks of it.
func (m *Mounts) commit(ctx context.Context, c op.Call, s seen, spec CommitSpec, before *draft) (Committed, error) {
	var d *draft
	var made git.CommitInfo
	err := m.frozen(ctx, c, s, spec, func(now *draft) error {
		d = now
		if before != nil && d.print() != before.print() {
			return kaijutsu.About("summarize", fmt.Errorf("the files changed while the message was made: %w: ask again, or commit with the message:\n%s", kaijutsu.ErrConflict, spec.Message))
		}
		if err := d.sign(m, c, spec); err != nil {
			return err
		}
		if spec.DryRun {
			return nil
		}
		if err := m.pend(ctx, d, c, spec); err != nil {
			return err
		}
		var err error
		if made, err = s.tree.MakeCommit(ctx, d.spec); err != nil {
			return errors.Join(fmt.Errorf("commit in mount %s: %w", s.path, err), m.unpend(ctx, s.id))
		}
		s.overlay.Committed(made.Hash)
		return nil
	})
	if err != nil {
		return Committed{}, err
	}
	out := d.shown()
	if out.Preview = spec.DryRun; out.Preview {
		return out, nil
	}
	out.Hash, out.Signed, out.Message, out.Subject = made.Hash, made.Signed, made.Message, made.Subject()
	return m.follows(context.WithoutCancel(ctx), c, s, d.told(out, c.By, spec.Into)), nil
}

// draft looks at what is chosen, and commits nothing.
func (m *Mounts) draft(ctx context.Context, c op.Call, s seen, spec CommitSpec) (d *draft, err error) {
	err = m.frozen(ctx, c, s, spec, func(now *draft) error {
		d = now
		return nil
	})
	return d, err
}

// frozen runs f on a draft while nothing moves between blocks and disk.
func (m *Mounts) frozen(ctx context.Context, c op.Call, s seen, spec CommitSpec, f func(*draft) error) error {
	p, err := m.choice(c, s, spec)
	if err != nil {
		return err
	}
	return s.overlay.Frozen(ctx, p.exact(), func(snap worktree.Snapshot) error {
		d, err := m.prepare(ctx, s, spec, p, snap)
		if err != nil {
			return err
		}
		return f(d)
	})
}

// joined puts two notices together.
func joined(a, b string) string {
	return strings.TrimPrefix(strings.TrimSuffix(a+"; "+b, "; "), "; ")
}
