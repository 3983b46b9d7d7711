package git

import "kaijutsu"

type objectKind string

type treeEntry struct {
	Name string
	Mode Mode
	Hash Hash
}

func (r *Repo) hasObject(h Hash) (bool, error) { return false, kaijutsu.ErrUnavailable }
