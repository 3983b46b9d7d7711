package provenance

import (
	"context"
	"errors"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

var errSoon = errors.New("not there yet")

// Index knows the drift blocks and citations of all contexts. It is safe for
// concurrent use.
type Index struct{ cfg Config }

// Start reads the cache, and what it does not have in the background. Whoever
// starts the Repo has it tell Note of every commit. Close the Index before the
// Kernel, the Table and the Repo.
func Start(cfg Config) (*Index, error) { return &Index{cfg: cfg}, nil }

// Close writes the cache and waits for what runs.
func (ix *Index) Close() error { return nil }

// Note tells the index what was committed. Document owners call it; it returns
// at once.
func (ix *Index) Note(c repo.Committed) {}

// Settle waits until the index has what is on disk now of these documents, of
// all when none are named.
func (ix *Index) Settle(ctx context.Context, docs ...kaijutsu.DocumentID) error { return errSoon }

// SettleMarks is Settle of all documents, and waits until every citation that
// this node is to keep is judged and its mark written or taken away. On a node
// that does not keep the marks it is Settle.
func (ix *Index) SettleMarks(ctx context.Context) error { return errSoon }

// Receipt returns the block that a drift became, also when it is deleted. Only a
// block whose id is the one that the drift makes counts, whatever others say.
func (ix *Index) Receipt(driftID string) (kaijutsu.DocumentID, blocks.ID, bool) {
	return kaijutsu.DocumentID{}, "", false
}

// Has reports whether a context holds a drift block of this fingerprint that is
// not deleted.
func (ix *Index) Has(doc kaijutsu.DocumentID, fingerprint string) bool { return false }

// Edge says how often drifts of one kind went from one context to another, as
// the blocks there say that still show.
type Edge struct {
	// FromKernel is the kernel of the source, "" for this one; From its UUID
	// there, and FromDoc its document when it is of this kernel.
	FromKernel, From string
	FromDoc          kaijutsu.DocumentID
	// Hidden says that the caller may not read the source: it is not named.
	// Hidden sources of one target are one edge.
	Hidden bool
	To     kaijutsu.DocumentID
	Kind   drift.Kind
	Count  int
	Last   time.Time
	// Blocks are in the target, the newest last; at most the newest 100.
	Blocks []blocks.ID
}

// Edges returns who drifted to whom: what the caller may read of the targets.
// They are ordered by the target, then by the source, then by the kind.
func (ix *Index) Edges(ctx context.Context, c op.Call) ([]Edge, error) { return nil, errSoon }

// Letter is a drift block of a context.
type Letter struct {
	Doc     kaijutsu.DocumentID
	Block   blocks.ID
	Meta    drift.Meta
	Content string
	// By is who stands as the author of the block; zero when that is not known.
	By     kaijutsu.Principal
	Unread bool
	Stale  bool // some of what it cites no longer stands
	At     time.Time
}

// Inbox returns the letters of a context, or with the zero id of all contexts
// that the caller may read, the newest last, and how many of all are unread. At
// most the newest 1000 letters are returned, and of contents no more than
// 16 MiB, the newest first: of the others Content is empty.
func (ix *Index) Inbox(ctx context.Context, c op.Call, doc kaijutsu.DocumentID) ([]Letter, int, error) {
	return nil, 0, errSoon
}

// MarkRead notes that the caller has read what is in a context now.
func (ix *Index) MarkRead(ctx context.Context, c op.Call, doc kaijutsu.DocumentID) error {
	return errSoon
}

// Unread returns how many letters of a context somebody has not read. It takes
// no longer than a look-up, and does not ask for the right to read.
func (ix *Index) Unread(p kaijutsu.Principal, doc kaijutsu.DocumentID) int { return 0 }
