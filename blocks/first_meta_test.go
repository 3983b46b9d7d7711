package blocks

import "testing"

// TestFirstMetas: what others write into a block's meta is not what it was made
// with.
func TestFirstMetas(t *testing.T) {
	amy, ben := newPair(t, "amy."), newPair(t, "ben.")
	with, without := amy.insert(BlockSpec{Content: "a", Meta: `{"n":1}`}), amy.insert(BlockSpec{Content: "b"})
	ben.pull(amy)
	check := func(when string) {
		t.Helper()
		for _, p := range []*pair{amy, ben} {
			first := p.model.FirstMetas(graphLog{p.graph})
			for id, want := range map[ID]string{with: `{"n":1}`, without: "", testID(9999): ""} {
				if got, err := first(id); got != want || err != nil {
					t.Errorf("%s: block %s was made with the meta %q, %v; want %q", when, id, got, err, want)
				}
			}
		}
	}
	check("as made")
	for _, meta := range []string{`{"n":2}`, "", `{"n":1,"m":1}`} {
		for _, id := range []ID{with, without} {
			if _, err := ben.say("", func(tx *Tx) error { return tx.SetMeta(id, meta) }); err != nil {
				t.Fatal(err)
			}
		}
		amy.pull(ben)
		check("after " + meta)
	}
}
