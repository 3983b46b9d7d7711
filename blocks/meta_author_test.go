package blocks

import "testing"

// TestMetaAuthor: the last one who wrote it, and nobody where there is none.
func TestMetaAuthor(t *testing.T) {
	amy, ben := newPair(t, "amy."), newPair(t, "ben.")
	id := amy.insert(BlockSpec{Content: "a", Meta: `{"n":1}`})
	ben.pull(amy)
	made, _, _ := amy.model.Made(id)
	if got, ok := amy.model.MetaAuthor(id); got != made || !ok {
		t.Errorf("meta is by %q, %v; want %q, who made the block", got, ok, made)
	}
	if _, err := ben.say("", func(tx *Tx) error { return tx.SetMeta(id, `{"n":2}`) }); err != nil {
		t.Fatal(err)
	}
	amy.pull(ben)
	for _, p := range []*pair{amy, ben} {
		if got, ok := p.model.MetaAuthor(id); got == made || !ok {
			t.Errorf("meta is by %q, %v; want the other one, who wrote it last", got, ok)
		}
	}
	for _, none := range []ID{testID(9999), amy.insert(BlockSpec{Content: "b"})} {
		if got, ok := amy.model.MetaAuthor(none); ok {
			t.Errorf("meta of %s is by %q, want nobody", none, got)
		}
	}
}
