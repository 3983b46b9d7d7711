package server

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/catalog"
	"kaijutsu/internal/repo"
)

// healing has a repo get damaged documents from other nodes.
func (l *later) healing(cfg *repo.Config) {
	cfg.Elsewhere = func(ctx context.Context, doc kaijutsu.DocumentID) bool {
		c := l.cluster.Load()
		return c != nil && c.Elsewhere(ctx, doc)
	}
	cfg.Refetch = func(ctx context.Context, doc kaijutsu.DocumentID) bool {
		c := l.cluster.Load()
		return c != nil && c.Fetch(ctx, doc)
	}
}

// storage is what the operations on the disk work on.
type storage struct{ s *Server }

func (p storage) StartScrub() error { return p.s.repo.StartScrub() }

func (p storage) Mend(ctx context.Context, doc kaijutsu.DocumentID) (catalog.Mended, error) {
	m, err := p.s.repo.Mend(ctx, doc)
	if err != nil {
		return catalog.Mended{}, err
	}
	return catalog.Mended{Document: doc.String(), Aside: m.Path, Changes: m.Changes, Had: m.Had, Short: m.Short}, nil
}

func (p storage) Check() catalog.StorageCheck {
	return catalog.StorageCheckOf(p.s.store.Stats(), p.s.store.Damaged(), p.s.repo.Stats().Healed)
}
