package provenance

import (
	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
)

// inserted returns the change that made a block.
func inserted(v repo.View, id blocks.ID) (kaijutsu.ChangeHash, bool) {
	actor, counter, ok := v.Model().Made(id)
	if !ok {
		return kaijutsu.ChangeHash{}, false
	}
	i, ok := v.Log().Find(actor, counter)
	if !ok {
		return kaijutsu.ChangeHash{}, false
	}
	return v.Log().Hash(i), true
}
