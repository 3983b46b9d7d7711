package repo

import (
	"context"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
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
