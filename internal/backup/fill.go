package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"sync"

	"golang.org/x/sync/errgroup"

	"kaijutsu"
	"kaijutsu/internal/store"
)

// filling is a store that is being filled.
type filling struct {
	ctx      context.Context
	backup   *Backup
	run      Run
	index    *Index
	missing  map[kaijutsu.DocumentID]bool
	progress func(Progress)

	storage                     string
	documents, records, leftOut int
}

const (
	// fillers write at the same time: the store puts what they write into
	// one transaction.
	fillers = 128
	// fillBytes bounds what is read and not written yet, but for one entry.
	fillBytes = 64 << 20
)

// entry is what one place holds.
type entry struct {
	kind    byte
	payload []byte
}

// fill makes a store in a directory.
func (f *filling) fill(dir string, o RestoreOptions) error {
	st, err := store.Open(store.Options{Dir: dir, Log: o.Log})
	if err != nil {
		return err
	}
	id := ""
	if o.SameNode {
		id = f.run.Storage
	}
	if err = st.Assume(f.ctx, id, max(f.run.NextOutbox, 1)); err == nil {
		f.storage = st.StorageID()
		err = f.write(st)
	}
	return errors.Join(err, st.Close())
}

// write reads the parts in order, so that the pieces of a document come one
// after the other, and has what is wanted of them written: all of one document
// by one filler.
func (f *filling) write(st *store.Store) error {
	g, ctx := errgroup.WithContext(f.ctx)
	room := newRoom(ctx, fillBytes)
	defer room.close()
	queues := make([]chan entry, fillers)
	for i := range queues {
		queues[i] = make(chan entry, 1)
		g.Go(func() error {
			for e := range queues[i] {
				err := f.put(ctx, st, e)
				room.give(len(e.payload))
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	g.Go(func() error {
		defer func() {
			for _, q := range queues {
				close(q)
			}
		}()
		return f.read(ctx, func(key []byte, e entry) error {
			if err := room.take(len(e.payload)); err != nil {
				return err
			}
			select {
			case queues[maphash.Bytes(seed, key)%fillers] <- e:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		})
	})
	if err := g.Wait(); err != nil {
		return err
	}
	g, ctx = errgroup.WithContext(f.ctx)
	g.SetLimit(fillers)
	for _, doc := range f.index.Deleted {
		g.Go(func() error { return st.Bury(ctx, doc) })
	}
	return g.Wait()
}

var seed = maphash.MakeSeed()

// read calls fn for every entry that the run needs.
func (f *filling) read(ctx context.Context, fn func(key []byte, e entry) error) error {
	wanted := make([]map[uint64][]byte, len(f.run.Parts))
	want := func(p Place, key []byte) {
		if wanted[p.Part] == nil {
			wanted[p.Part] = map[uint64][]byte{}
		}
		wanted[p.Part][p.Nth] = key
	}
	for _, d := range f.index.Documents {
		if f.missing[d.Doc] {
			continue
		}
		f.documents++
		for _, p := range d.Places {
			want(p, d.Doc.Bytes())
		}
	}
	for _, r := range f.index.Records {
		if left(r.Name) {
			f.leftOut++
			continue
		}
		f.records++
		want(r.Place, []byte(r.Name))
	}
	done := Progress{Of: uint64(f.documents)}
	for i, part := range f.run.Parts {
		if len(wanted[i]) == 0 {
			continue
		}
		err := f.readPart(ctx, part, wanted[i], func(key []byte, e entry) error {
			if e.kind == framePiece && e.payload[0] == modeWhole {
				done.Documents++
			}
			done.Bytes += int64(len(e.payload))
			if f.progress != nil {
				f.progress(done)
			}
			return fn(key, e)
		})
		if err != nil {
			return fmt.Errorf("%s: %w", part.Name, err)
		}
	}
	return nil
}

func (f *filling) readPart(ctx context.Context, part File, wanted map[uint64][]byte, fn func(key []byte, e entry) error) error {
	file, _, err := f.backup.open(part.Name)
	if err != nil {
		return err
	}
	defer file.Close()
	in, err := readEntries(file)
	if err != nil {
		return err
	}
	defer in.close()
	for left := len(wanted); left > 0; {
		nth, kind, payload, err := in.next()
		if err == io.EOF {
			return fmt.Errorf("it ends before %d entries that the index names: %w", left, kaijutsu.ErrInvalid)
		}
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		key, ok := wanted[nth]
		if !ok {
			continue
		}
		left--
		if len(payload) == 0 {
			return fmt.Errorf("entry %d is empty: %w", nth, kaijutsu.ErrInvalid)
		}
		if err := fn(key, entry{kind, bytes.Clone(payload)}); err != nil {
			return err
		}
	}
	return nil
}

// put writes one entry into the store.
func (f *filling) put(ctx context.Context, st *store.Store, e entry) error {
	if e.kind == frameRecord {
		d := decoder{b: e.payload}
		name, value := d.string(), d.bytes()
		if err := d.done(); err != nil {
			return err
		}
		return st.PutRecord(ctx, name, value)
	}
	p, err := decodePiece(e.payload)
	if err != nil {
		return err
	}
	if !p.Tail {
		return st.Refill(ctx, p.Doc, p.document())
	}
	_, err = st.Commit(ctx, p.write())
	return err
}

// room bounds bytes that are under way.
type room struct {
	mu   sync.Mutex
	more *sync.Cond
	free int
	most int
	err  error
	stop func() bool
}

func newRoom(ctx context.Context, most int) *room {
	r := &room{free: most, most: most}
	r.more = sync.NewCond(&r.mu)
	r.stop = context.AfterFunc(ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.err = context.Cause(ctx)
		r.more.Broadcast()
	})
	return r
}

// take waits until n bytes have room; what is larger than all of it has room
// alone.
func (r *room) take(n int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.err == nil && r.free < min(n, r.most) {
		r.more.Wait()
	}
	r.free -= n
	return r.err
}

func (r *room) give(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free += n
	r.more.Broadcast()
}

func (r *room) close() { r.stop() }
