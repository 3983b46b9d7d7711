package records

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/repo"
)

// readChanges is how many changes are read at a time, at most.
const readChanges = 1024

var errClosed = fmt.Errorf("the records are closed: %w", kaijutsu.ErrUnavailable)

// watch is somebody who is told of records.
type watch struct {
	prefix string
	f      func(name string, value []byte)
}

// progress is how far the watchers have been told. It is replaced when they
// have been told more.
type progress struct {
	changes int
	moved   chan struct{} // closed when there is another
}

// Watch has f told of every record whose name begins with a prefix when it
// changes from now on, with its value, or nil when it is gone. The teller calls
// it, in order and one call at a time; what is slow in it delays all writers,
// and it must not write records. f may be under way when stop returns.
func (t *Table) Watch(prefix string, f func(name string, value []byte)) (stop func()) {
	w := &watch{prefix, f}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.watches = append(slices.Clip(t.watches), w)
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.watches = slices.DeleteFunc(slices.Clone(t.watches), func(o *watch) bool { return o == w })
	}
}

// Note tells the table what was committed. Document owners call it; it returns
// at once, and passes over other documents.
func (t *Table) Note(c repo.Committed) {
	if c.Doc != t.doc {
		return
	}
	select {
	case t.woken <- struct{}{}:
	default:
	}
}

// tell is the teller: it applies what was committed and tells the watchers.
func (t *Table) tell() {
	for {
		select {
		case <-t.woken:
		case <-t.stopping.Done():
			return
		}
		if err := t.read(t.announce); err != nil && t.stopping.Err() == nil {
			t.log.Error("records not read: the next one that is written has them read again", "document", t.doc, "err", err)
		}
	}
}

// read applies the changes of the document behind those that have been.
func (t *Table) read(each func(*amfile.Change)) error {
	for {
		changes, err := t.repo.Changes(t.stopping, t.doc, uint64(t.at()), readChanges)
		if err != nil {
			return err
		}
		for _, c := range changes {
			each(c)
		}
		t.progressed()
		if len(changes) == 0 {
			return nil
		}
	}
}

// at returns how many changes have been applied.
func (t *Table) at() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.state.changes
}

// progressed wakes the writers that wait for what has been told.
func (t *Table) progressed() {
	at := t.at()
	t.mu.Lock()
	defer t.mu.Unlock()
	close(t.told.moved)
	t.told = &progress{at, make(chan struct{})}
}

// announce applies a change and tells the watchers.
func (t *Table) announce(c *amfile.Change) {
	t.mu.Lock()
	names := t.state.apply(c)
	watches := t.watches
	values := make([][]byte, len(names))
	for i, name := range names {
		if value, ok := t.state.value(name); ok {
			values[i] = []byte(value)
		}
	}
	t.mu.Unlock()
	for i, name := range names {
		for _, w := range watches {
			if strings.HasPrefix(name, w.prefix) {
				w.f(name, values[i])
			}
		}
	}
}

// await waits until the watchers have been told of so many changes.
func (t *Table) await(ctx context.Context, changes int) error {
	for {
		t.mu.RLock()
		told := t.told
		t.mu.RUnlock()
		if told.changes >= changes {
			return nil
		}
		select {
		case <-told.moved:
		case <-ctx.Done():
			return ctx.Err()
		case <-t.stopping.Done():
			return errClosed
		}
	}
}
