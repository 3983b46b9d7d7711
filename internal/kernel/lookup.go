package kernel

import (
	"context"

	"kaijutsu"
)

// Lookup returns the documents that a name may mean here, whoever may read them,
// by the rules of Address: for another node, which asks for those that it has
// not got.
func (k *Kernel) Lookup(ctx context.Context, name string) []kaijutsu.DocumentID {
	if doc, ok := k.ByLabel(name); ok && k.shelf.has(doc) {
		return []kaijutsu.DocumentID{doc}
	}
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
	found, _ := k.meant(all, name)
	var docs []kaijutsu.DocumentID
	for _, s := range found {
		docs = append(docs, s.doc)
	}
	return docs
}
