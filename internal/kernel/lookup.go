package kernel

import (
	"context"

	"kaijutsu"
)

// Lookup returns the documents that a name may mean here, whoever may read them:
// for another node, which asks for those that it has not got.
func (k *Kernel) Lookup(ctx context.Context, name string) []kaijutsu.DocumentID {
	var all []*summary
	for _, doc := range k.shelf.all() {
		if k.hidden(doc) {
			continue
		}
		if s, err := k.summary(ctx, doc); err == nil {
			all = append(all, s)
		}
		if ctx.Err() != nil {
			return nil
		}
	}
	for _, match := range matchesOf(name) {
		var docs []kaijutsu.DocumentID
		for _, s := range k.pick(all, match) {
			docs = append(docs, s.doc)
		}
		if len(docs) > 0 {
			return docs
		}
	}
	return nil
}
