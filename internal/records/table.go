package records

import (
	"context"
	"crypto/sha256"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"kaijutsu"
	"kaijutsu/internal/guard"
	"kaijutsu/internal/repo"
)

// Config says what a Table works with. Log, Repo and Kernel are required.
type Config struct {
	Log    *slog.Logger
	Repo   *repo.Repo
	Kernel string // the kernel's name
	// Name tells the documents of one kernel's records apart; default "records".
	Name string
	// MaxValue is the most bytes of a record; default 64 KiB. All nodes must
	// have the same.
	MaxValue int
}

const defaultName = "records"

// Table is the records. It is safe for concurrent use.
type Table struct {
	log  *slog.Logger
	repo *repo.Repo
	doc  kaijutsu.DocumentID

	writing chan struct{} // a token: one writer at a time
	woken   chan struct{} // holds a token when there is something to tell
	running sync.WaitGroup

	stopping context.Context // ends with the Table
	stop     context.CancelFunc

	mu      sync.RWMutex
	state   state     // guarded by mu
	watches []*watch  // guarded by mu; replaced, never changed
	told    *progress // guarded by mu
}

// DocumentID returns the id of the document that holds a kernel's records.
func DocumentID(kernel string) kaijutsu.DocumentID { return DocumentIDOf(defaultName, kernel) }

// DocumentIDOf returns the id of the document of a kernel's records that goes by
// Config.Name.
func DocumentIDOf(name, kernel string) kaijutsu.DocumentID {
	sum := sha256.Sum256([]byte("kaijutsu " + name + " " + kernel))
	return kaijutsu.ContextID(sum[:16]).Document()
}

// Open reads the records. Whoever starts the Repo has it tell Note of every
// commit. Close the Table before the Repo.
func Open(cfg Config) (*Table, error) {
	if cfg.Name == "" {
		cfg.Name = defaultName
	}
	if cfg.MaxValue == 0 {
		cfg.MaxValue = maxValueBytes
	}
	t := &Table{
		log: cfg.Log, repo: cfg.Repo, doc: DocumentIDOf(cfg.Name, cfg.Kernel),
		state:   state{maxValue: cfg.MaxValue},
		writing: make(chan struct{}, 1),
		woken:   make(chan struct{}, 1),
		told:    &progress{moved: make(chan struct{})},
	}
	t.stopping, t.stop = context.WithCancel(context.Background())
	if err := t.read(t.announce); err != nil { // nobody watches yet
		t.stop()
		return nil, fmt.Errorf("read the records: %w", err)
	}
	t.running.Go(guard.Keep(t.log, "teller of records", t.stopping.Done(), t.tell))
	return t, nil
}

// Close ends the teller and waits for it. Watchers hear nothing more, and
// writes that wait end with an error that wraps kaijutsu.ErrUnavailable.
func (t *Table) Close() error {
	t.stop()
	t.running.Wait()
	return nil
}

// Doc returns the id of the document that holds the records.
func (t *Table) Doc() kaijutsu.DocumentID { return t.doc }

// Get returns a record.
func (t *Table) Get(name string) ([]byte, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	value, ok := t.state.value(name)
	if !ok {
		return nil, false
	}
	return []byte(value), true
}

// All returns the records whose names begin with a prefix, by name, as they are
// when it is called.
func (t *Table) All(prefix string) iter.Seq2[string, []byte] {
	type row struct{ name, value string }
	var rows []row
	t.mu.RLock()
	for name := range t.state.keys {
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		if value, ok := t.state.value(name); ok {
			rows = append(rows, row{name, value})
		}
	}
	t.mu.RUnlock()
	slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a.name, b.name) })
	return func(yield func(string, []byte) bool) {
		for _, r := range rows {
			if !yield(r.name, []byte(r.value)) {
				return
			}
		}
	}
}

// Stats are what the table holds.
type Stats struct {
	Records int
	Changes int
	// Refused are the operations in the document that are no records.
	Refused int
}

// Stats returns the counters.
func (t *Table) Stats() Stats {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return Stats{len(t.state.keys), t.state.changes, t.state.refused}
}
