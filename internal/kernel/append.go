package kernel

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

// appendOp is the operation that the changes of appends name.
const appendOp = "block_append"

// Appended says what became of an append.
type Appended struct {
	// Version and Heads are the document's, with the text when Durable; without
	// it, and as last seen, when it waits.
	Version uint64
	Heads   kaijutsu.Heads
	Change  kaijutsu.ChangeHash // the change that holds the text; zero while it waits
	// Durable says that the text is on disk.
	Durable bool
	// Buffered is how many characters of the caller's wait for the disk.
	Buffered int
}

// Append adds text at the end of a block. Text that streams in small pieces is
// written together: it waits until there is a newline, 50 characters in all, or
// 100 ms since the first, and until something else reads or edits the context;
// flush writes it at once. An error about the block is told at once. One that
// comes when the text is written later is logged, and told to the caller's
// principal at its next append to the block or look at the context.
func (k *Kernel) Append(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, id blocks.ID, text string, flush bool) (Appended, error) {
	if err := k.mayEdit(c, doc, kaijutsu.RightComment); err != nil {
		return Appended{}, err
	}
	if err := k.appends.told(c.By, doc, id); err != nil {
		return Appended{}, err
	}
	runes := utf8.RuneCountInString(text)
	if flush || runes == 0 || runes >= flushRunes || strings.ContainsRune(text, '\n') {
		return k.appends.through(ctx, c, doc, id, text, runes)
	}
	p, out := k.appends.extend(c, doc, id, text, runes)
	if p == nil && out.Buffered == 0 {
		at, err := k.checkAppend(ctx, c, doc, id)
		if err != nil {
			return Appended{}, err
		}
		p, out = k.appends.begin(c, doc, id, text, runes, at)
	}
	if p != nil {
		return k.appends.await(ctx, doc, id, p)
	}
	return out, nil
}

// checkAppend says what an append to a block would fail for, and as of which
// version it would not.
func (k *Kernel) checkAppend(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, id blocks.ID) (moment, error) {
	var at moment
	err := k.cfg.Repo.View(ctx, doc, func(v repo.View) error {
		if !v.IsContext() {
			return notContext(doc)
		}
		b, ok := v.Model().Summary(id)
		switch {
		case !ok:
			return fmt.Errorf("append to block %s: %w in context %s", id, kaijutsu.ErrNotFound, doc.Name())
		case b.Deleted:
			return fmt.Errorf("append to block %s: it is deleted; restore it first: %w", id, kaijutsu.ErrConflict)
		case b.Form == blocks.FormBody:
			return fmt.Errorf("append to block %s: it is a finished record; thaw it to edit its text: %w", id, kaijutsu.ErrConflict)
		}
		at = moment{v.Version(), v.Heads}
		if k.Right(c, doc) < kaijutsu.RightEdit {
			return ownComment(v, c, b.Block)
		}
		return nil
	})
	return at, err
}

// ownComment refuses a commenter a block that is no comment of its own. It is
// only the early answer: the change itself is judged when it is made.
func ownComment(v repo.View, c op.Call, b blocks.Block) error {
	by, _ := v.Principal(b.Author)
	if b.Kind != blocks.KindComment || by != c.By {
		return fmt.Errorf("append to block %s: %w: %s may only comment here", b.ID, kaijutsu.ErrDenied, c.By.Name)
	}
	return nil
}
