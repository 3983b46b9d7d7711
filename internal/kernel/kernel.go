package kernel

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/flowbus"
	"kaijutsu/internal/access"
	"kaijutsu/internal/op"
	"kaijutsu/internal/records"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

// Config says what a Kernel works with. Log, Store, Repo, Access and Records
// are required.
type Config struct {
	Log    *slog.Logger
	Store  *store.Store
	Repo   *repo.Repo
	Access *access.Table
	// Records are what nodes share; it is open and stays so for longer than the
	// Kernel.
	Records *records.Table
	// Hidden reports documents of the nodes beside the records, which are nobody's
	// either; nil: there are none. It is asked from any goroutine.
	Hidden func(kaijutsu.DocumentID) bool
	// Private reports contexts that only owners of the kernel may read, whatever
	// is granted in them; nil: there are none. It is asked from any goroutine.
	Private func(kaijutsu.DocumentID) bool
	// Unread returns how many drift blocks of a context a principal has not read,
	// for lists of seats; nil: nobody counts. It must return at once.
	Unread func(kaijutsu.Principal, kaijutsu.DocumentID) int
	// Knows reports whether there is a link to a kernel of this name; nil: there
	// are none. It must return at once.
	Knows func(kernel string) bool
	// Fetch has a document that is not here brought from another node, and
	// reports whether it is here then; nil: there is no other node.
	Fetch func(context.Context, kaijutsu.DocumentID) bool
	// Seek has documents that go by a name on other nodes brought from there, as
	// they are there, and reports whether any came; nil: there is no other node.
	Seek func(ctx context.Context, name string) bool
	// Locate returns the documents that hold a block, as far as an index knows;
	// nil: blocks are found only where a context is named.
	Locate func(blocks.ID) []kaijutsu.DocumentID
	// Cache is a file that keeps what lists need of each context between two
	// starts; it may be deleted at any time. Empty: every start opens each
	// context once.
	Cache string
	// Now is the clock; default time.Now.
	Now func() time.Time

	// Kernel is the kernel's name, in events; default "main".
	Kernel string
	// Bus carries seats and claims to other nodes; nil: there are none.
	Bus *flowbus.Bus
	// Emit is told of events that come of no change: seats, presence and
	// questions. It must return at once. Nil: nobody follows.
	Emit func(flowbus.Event)
	// Tell is told of events that every node tells its own followers: contexts
	// that were archived or taken back. It must return at once. Nil: nobody
	// follows.
	Tell func(flowbus.Event)
	// Seating says how long seats last.
	Seating Seating
}

// Kernel is the contexts of a server. It is safe for concurrent use.
type Kernel struct {
	cfg       Config
	log       *slog.Logger
	records   contextRecords
	appends   appends
	seats     seats
	questions questions
	watches   watches
	shelf     shelf
	chores    chores
	unwatch   []func() // end the watches of records
	saving    cacheTimer
	genesis   kaijutsu.ChangeHash

	savingFile sync.Mutex // held while the file of summaries is written
}

// Open reads the contexts' records. Whoever starts the Repo has it tell Note of
// every commit; of what does not come through the Kernel, it knows nothing else.
// Close the Kernel before the Repo.
func Open(cfg Config) (*Kernel, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Kernel == "" {
		cfg.Kernel = "main"
	}
	if cfg.Locate == nil {
		cfg.Locate = func(blocks.ID) []kaijutsu.DocumentID { return nil }
	}
	if cfg.Hidden == nil {
		cfg.Hidden = func(kaijutsu.DocumentID) bool { return false }
	}
	if cfg.Private == nil {
		cfg.Private = func(kaijutsu.DocumentID) bool { return false }
	}
	k := &Kernel{cfg: cfg, log: cfg.Log}
	k.appends.init(k)
	k.watches.all = make(map[*ListWatch]struct{})
	k.genesis = blocks.Genesis().Hash
	if err := k.shelf.fill(cfg.Store, k.ofNodes); err != nil {
		return nil, fmt.Errorf("list the documents: %w", err)
	}
	k.chores.start(k)
	if err := k.openRecords(); err != nil {
		k.chores.close()
		return nil, fmt.Errorf("read the contexts' records: %w", err)
	}
	k.loadShelf()
	if err := k.questions.start(k); err != nil {
		k.chores.close()
		return nil, fmt.Errorf("list the pending questions: %w", err)
	}
	k.seats.start(k)
	return k, nil
}

// Close writes what is buffered and waits for it. Appends that come later are
// written at once.
func (k *Kernel) Close() error {
	for _, stop := range k.unwatch {
		stop()
	}
	k.chores.close()
	k.questions.close()
	k.seats.close()
	return errors.Join(k.appends.close(), k.closeShelf())
}

// View runs f on a document's blocks, in the document's owner, with everything
// that was appended; f must not take long. The error wraps
// kaijutsu.ErrNotFound when there is no such document or the caller may not
// read it.
func (k *Kernel) View(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, f func(repo.View) error) error {
	if k.Right(c, doc) < kaijutsu.RightRead {
		return unknown(doc.Name())
	}
	if err := k.appends.flush(ctx, doc, c.By); err != nil {
		return err
	}
	return k.cfg.Repo.View(ctx, doc, f)
}

// Edit runs f on a context's blocks, in the document's owner, and commits what
// it did as one change, all or nothing; name is the operation's, and the change
// says it. A commenter's change may make comments and edit its own, nothing
// else. Everything that was appended is written first. It returns when the
// change is on disk. The error wraps kaijutsu.ErrNotFound when there is no such
// context or the caller may not read it, ErrDenied when it may not write what f
// wrote, and ErrConflict when the context is archived.
func (k *Kernel) Edit(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, name string, f func(repo.View, *blocks.Tx) error) (repo.Edited, error) {
	if err := k.mayEdit(c, doc, kaijutsu.RightComment); err != nil {
		return repo.Edited{}, err
	}
	if err := k.appends.flush(ctx, doc, c.By); err != nil {
		return repo.Edited{}, err
	}
	return k.edit(ctx, c, doc, name, f)
}

// edit is Edit without what was appended. It asks for the right once, so that
// what is allowed is what the change is judged by.
func (k *Kernel) edit(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, name string, f func(repo.View, *blocks.Tx) error) (repo.Edited, error) {
	right := k.Right(c, doc)
	if err := k.allow(c, doc, right, kaijutsu.RightComment); err != nil {
		return repo.Edited{}, err
	}
	if k.records.archived(doc) {
		return repo.Edited{}, archived(doc)
	}
	return k.write(ctx, repo.Edit{By: c.By, Message: "op:" + name, Right: right}, doc, f)
}

// write makes the change of an edit that is allowed.
func (k *Kernel) write(ctx context.Context, e repo.Edit, doc kaijutsu.DocumentID, f func(repo.View, *blocks.Tx) error) (repo.Edited, error) {
	edited, err := k.cfg.Repo.Edit(ctx, doc, e, func(v repo.View, tx *blocks.Tx) error {
		if !v.IsContext() {
			return notContext(doc)
		}
		return f(v, tx)
	})
	if err == nil && edited.Change != (kaijutsu.ChangeHash{}) {
		k.shelf.saw(doc, edited.Heads)
	}
	return edited, err
}

// Export returns the document with its whole history, the content of an
// .automerge file, with everything that was appended.
func (k *Kernel) Export(ctx context.Context, c op.Call, doc kaijutsu.DocumentID) ([]byte, error) {
	if k.Right(c, doc) < kaijutsu.RightRead {
		return nil, unknown(doc.Name())
	}
	if err := k.appends.flush(ctx, doc, c.By); err != nil {
		return nil, err
	}
	return k.cfg.Repo.Export(ctx, doc)
}

// Watch starts to follow a document's blocks from now on. Close it. Whoever
// follows for long asks for the right again before it shows anything.
func (k *Kernel) Watch(ctx context.Context, c op.Call, doc kaijutsu.DocumentID) (*repo.Watch, error) {
	if k.Right(c, doc) < kaijutsu.RightRead {
		return nil, unknown(doc.Name())
	}
	if err := k.appends.flush(ctx, doc, c.By); err != nil {
		return nil, err
	}
	return k.cfg.Repo.Watch(ctx, doc)
}

// Flush writes everything that was appended, whatever it was appended to: for
// what reads many contexts.
func (k *Kernel) Flush(ctx context.Context) error { return k.appends.flushAll(ctx) }

func notContext(id kaijutsu.DocumentID) error {
	return fmt.Errorf("document %s: %w: it is not a context of blocks; export writes it as a file", id, kaijutsu.ErrInvalid)
}

// absent reports whether an error says that a document is not there.
func absent(err error) bool { return errors.Is(err, kaijutsu.ErrNotFound) }
