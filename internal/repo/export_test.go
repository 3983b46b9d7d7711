package repo

import (
	"context"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/halt"
)

// EditTimed is Edit, and says how long the owner took, before the disk.
func (r *Repo) EditTimed(ctx context.Context, id kaijutsu.DocumentID, e Edit, f func(View, *blocks.Tx) error) (took time.Duration, err error) {
	err = r.edit(ctx, id, func(d *document, _ *staged) error {
		began := time.Now()
		_, err := d.editBlocks(e, f)
		took = time.Since(began)
		return err
	})
	return took, err
}

// ReplayBytes returns what the stretches say that they take, models included,
// and what their changes take by counting again.
func (r *Repo) ReplayBytes() (said, changes int64) {
	r.replays.mu.Lock()
	defer r.replays.mu.Unlock()
	for _, s := range r.replays.kept {
		s.mu.Lock()
		said += s.bytes.Load()
		for _, c := range s.changes {
			changes += int64(c.Bytes())
		}
		s.mu.Unlock()
	}
	return said, changes
}

// Estimated returns what is said that open documents take, and what it is by
// counting again.
func (r *Repo) Estimated() (said, counted int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, d := range r.docs {
		counted += d.bytes.Load()
	}
	return r.bytes.Load(), counted
}

// Trouble has f called before each change goes into a read model.
func (c *Config) Trouble(f func(*amfile.Change, *halt.Flag)) { c.trouble = f }
