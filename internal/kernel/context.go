package kernel

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

// maxTitleRunes is how long a title may be, in code points.
const maxTitleRunes = 1000

func checkTitle(title string) error {
	if !utf8.ValidString(title) || utf8.RuneCountInString(title) > maxTitleRunes {
		return &op.FieldError{Field: "title", Reason: fmt.Sprintf("want at most %d characters of UTF-8", maxTitleRunes)}
	}
	return nil
}

// mayCreate refuses callers whose role on the kernel is less than editor.
func mayCreate(c op.Call) error {
	if c.By.IsZero() || c.Right < kaijutsu.RightEdit {
		return fmt.Errorf("make a context: %w: it takes the role %s on the kernel, %s has %s", kaijutsu.ErrDenied, kaijutsu.RightEdit, c.By.Name, c.Right)
	}
	return nil
}

// NewContext says what a context is to be called.
type NewContext struct {
	Title string
	Label string // empty: none
}

// Create makes a context with this title. Its maker's role in it is the one on
// the kernel.
func (k *Kernel) Create(ctx context.Context, c op.Call, title string) (ContextInfo, error) {
	return k.CreateWith(ctx, c, title, "context_create", nil)
}

// CreateWith is Create with what f writes, in one more change; name is the
// operation's. When f fails, or the server does in between, there is no context.
func (k *Kernel) CreateWith(ctx context.Context, c op.Call, title, name string, f func(repo.View, *blocks.Tx) error) (ContextInfo, error) {
	return k.CreateAs(ctx, c, NewContext{Title: title}, name, f)
}

// CreateAs is CreateWith with all that a context may be called. The error wraps
// kaijutsu.ErrConflict when another has the label, and no context is made then.
func (k *Kernel) CreateAs(ctx context.Context, c op.Call, n NewContext, name string, f func(repo.View, *blocks.Tx) error) (ContextInfo, error) {
	if err := mayCreate(c); err != nil {
		return ContextInfo{}, err
	}
	if err := checkTitle(n.Title); err != nil {
		return ContextInfo{}, err
	}
	leave, err := k.reserve(ctx, c, n.Label)
	if err != nil {
		return ContextInfo{}, err
	}
	defer leave()
	id, err := k.cfg.Repo.CreateContextWith(ctx, repo.Edit{By: c.By, Message: "op:" + name}, n.Title, f)
	if err != nil {
		return ContextInfo{}, err
	}
	return k.made(ctx, c, id, n.Label)
}

// Import makes a context of an .automerge file, under an id of its own.
func (k *Kernel) Import(ctx context.Context, c op.Call, chunk []byte) (ContextInfo, error) {
	if err := mayCreate(c); err != nil {
		return ContextInfo{}, err
	}
	id, err := k.cfg.Repo.ImportDocument(ctx, c.By, chunk)
	if err != nil {
		return ContextInfo{}, err
	}
	return k.made(ctx, c, id, "")
}

// Fork makes a context that holds what another held at these heads, nil for
// now; title "" keeps the title. Whoever has a role in the other has it in the
// fork, and its maker the role own. The error wraps kaijutsu.ErrNotFound when the
// context does not hold one of the heads.
func (k *Kernel) Fork(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, heads kaijutsu.Heads, title string) (ContextInfo, error) {
	return k.ForkAs(ctx, c, doc, heads, NewContext{Title: title})
}

// ForkAs is Fork with all that a context may be called. The error wraps
// kaijutsu.ErrConflict when another has the label.
func (k *Kernel) ForkAs(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, heads kaijutsu.Heads, n NewContext) (ContextInfo, error) {
	if err := k.need(c, doc, kaijutsu.RightRead); err != nil {
		return ContextInfo{}, err
	}
	if err := mayCreate(c); err != nil {
		return ContextInfo{}, err
	}
	if err := checkTitle(n.Title); err != nil {
		return ContextInfo{}, err
	}
	if err := k.appends.flush(ctx, doc, c.By); err != nil {
		return ContextInfo{}, err
	}
	if len(heads) == 0 {
		err := k.cfg.Repo.View(ctx, doc, func(v repo.View) error {
			heads = v.Heads
			if !v.IsContext() {
				return notContext(doc)
			}
			return nil
		})
		if err != nil {
			return ContextInfo{}, err
		}
	}
	leave, err := k.reserve(ctx, c, n.Label)
	if err != nil {
		return ContextInfo{}, err
	}
	defer leave()
	return k.fork(ctx, c, doc, heads, n)
}

// reserve holds a label for a context that is to be made, until leave: nobody
// writes records at this node meanwhile. Without a label it does nothing.
func (k *Kernel) reserve(ctx context.Context, c op.Call, label string) (leave func(), err error) {
	if label == "" {
		return func() {}, nil
	}
	if leave, err = k.records.turn(ctx); err != nil {
		return nil, err
	}
	if err := k.freeLabel(ctx, c, label, kaijutsu.DocumentID{}); err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

// made records a new context, and its label, which is reserved; "" is none.
func (k *Kernel) made(ctx context.Context, c op.Call, id kaijutsu.ContextID, label string) (ContextInfo, error) {
	ctx = context.WithoutCancel(ctx) // it is there: say so
	k.shelf.saw(id.Document(), nil)
	note := func(r *record) { r.by, r.created = c.By, createdOf(id.Document()) }
	var err error
	if label == "" {
		err = k.records.update(ctx, c.By, id.Document(), note)
	} else if rs, bad := k.labelRecords(c.By, label, id.Document()); bad == nil {
		err = k.records.put(ctx, c.By, id.Document(), note, rs...)
	} else {
		err = bad
	}
	if err != nil {
		return ContextInfo{}, err
	}
	return k.shown(ctx, c, id)
}

// shown returns a context that was made.
func (k *Kernel) shown(ctx context.Context, c op.Call, id kaijutsu.ContextID) (ContextInfo, error) {
	s, err := k.summary(ctx, id.Document())
	if err != nil {
		return ContextInfo{}, err
	}
	return k.info(c, s), nil
}

// Rename gives a context another title.
func (k *Kernel) Rename(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, title string) (repo.Edited, error) {
	if err := k.mayEdit(c, doc, kaijutsu.RightEdit); err != nil {
		return repo.Edited{}, err
	}
	if err := checkTitle(title); err != nil {
		return repo.Edited{}, err
	}
	return k.Edit(ctx, c, doc, "context_rename", func(_ repo.View, tx *blocks.Tx) error { return tx.SetTitle(title) })
}

// Archive puts a context away, or takes it back. One that is archived is hidden
// from lists and can be read but not edited, by sync neither.
func (k *Kernel) Archive(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, archived bool) (ContextInfo, error) {
	if err := k.need(c, doc, kaijutsu.RightEdit); err != nil {
		return ContextInfo{}, err
	}
	info, err := k.Context(ctx, c, doc)
	if err != nil {
		return ContextInfo{}, err
	}
	if archived != info.Archived.IsZero() {
		return info, nil // as it is already
	}
	at := time.Time{}
	if archived {
		at = k.cfg.Now().UTC().Truncate(time.Millisecond)
	}
	if err := k.records.update(ctx, c.By, doc, func(r *record) { r.archived, r.moved = at, c.By }); err != nil {
		return ContextInfo{}, err
	}
	k.cfg.Repo.Review(doc)
	k.watches.wake()
	info.Archived = at
	return info, nil
}
