package provenance

import (
	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
)

// inserted returns the change that made a block.
func inserted(v repo.View, id blocks.ID) (kaijutsu.ChangeHash, bool) {
	runs, err := v.Model().Blame(id, v.Log())
	if err != nil || len(runs) == 0 {
		return kaijutsu.ChangeHash{}, false
	}
	return runs[0].Change, true
}
