package records

import (
	"context"
	"crypto/sha256"
	"fmt"
	"iter"
	"log/slog"

	"kaijutsu"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

// Config says what a Table works with. Log, Store, Repo and Kernel are
// required.
type Config struct {
	Log    *slog.Logger
	Store  *store.Store
	Repo   *repo.Repo
	Kernel string // the kernel's name
}

// Table is the records. It is safe for concurrent use.
type Table struct {
	cfg Config
	doc kaijutsu.DocumentID
}

// DocumentID returns the id of the document that holds a kernel's records.
func DocumentID(kernel string) kaijutsu.DocumentID {
	sum := sha256.Sum256([]byte("kaijutsu records " + kernel))
	var id kaijutsu.ContextID
	copy(id[:], sum[:])
	return id.Document()
}

// Open reads the records. Whoever starts the Repo has it tell Note of every
// commit. Close the Table before the Repo.
func Open(cfg Config) (*Table, error) {
	return &Table{cfg: cfg, doc: DocumentID(cfg.Kernel)}, nil
}

// Close ends the teller. Watchers hear nothing more.
func (t *Table) Close() error { return nil }

// Doc returns the id of the document that holds the records.
func (t *Table) Doc() kaijutsu.DocumentID { return t.doc }

// Note tells the table what was committed. Document owners call it; it returns
// at once, and passes over other documents.
func (t *Table) Note(repo.Committed) {}

// Record is a record by its name. A nil Value deletes it.
type Record struct {
	Name  string
	Value []byte
}

var errEmpty = fmt.Errorf("records are not kept yet: %w", kaijutsu.ErrUnavailable)

// Put is Write of one record.
func (t *Table) Put(ctx context.Context, by kaijutsu.Principal, name string, value []byte) error {
	return t.Write(ctx, by, Record{name, value})
}

// Delete deletes a record, if there is one.
func (t *Table) Delete(ctx context.Context, by kaijutsu.Principal, name string) error {
	return t.Write(ctx, by, Record{Name: name})
}

// Write writes records, all or none.
func (t *Table) Write(ctx context.Context, by kaijutsu.Principal, rs ...Record) error { return errEmpty }

// Get returns a record; it is not to be modified.
func (t *Table) Get(name string) ([]byte, bool) { return nil, false }

// All returns the records whose names begin with a prefix, by name.
func (t *Table) All(prefix string) iter.Seq2[string, []byte] {
	return func(func(string, []byte) bool) {}
}

// Watch has f told of every record whose name begins with a prefix when it
// changes; a nil value says that it is gone.
func (t *Table) Watch(prefix string, f func(name string, value []byte)) (stop func()) {
	return func() {}
}
