package repo_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

// whole returns one delivery of all of a document.
func whole(t testing.TB, r *repo.Repo, doc kaijutsu.DocumentID) repo.Delivery {
	t.Helper()
	parts := deliveries(t, r, doc, nil)
	d := parts[0]
	for _, more := range parts[1:] {
		d.Changes = append(d.Changes, more.Changes...)
		for actor, s := range more.Signers {
			d.Signers[actor] = s
		}
	}
	return d
}

// branched makes a context edited here by amy and by two peers who hear of each
// other now and then.
func branched(t *testing.T, h *house) kaijutsu.DocumentID {
	t.Helper()
	doc := newContext(t, h.repo, "Plan")
	peers := []*replica{newReplica(t), newReplica(t)}
	for i, p := range peers {
		p.joinAs(h, doc, repo.Joining{Principal: []kaijutsu.Principal{amy, ben}[i]})
		p.until("the peer has the document", func() bool { return p.graph.Heads().Equal(headsOf(t, h.repo, doc)) })
	}
	for n := range 40 {
		p := peers[n%2]
		for range 3 {
			p.put(1)
		}
		p.push()
		insert(t, h.repo, doc, fmt.Sprint("block ", n))
		if n%4 == 0 {
			p.until("the peer is up to date", func() bool { return p.graph.Heads().Equal(headsOf(t, h.repo, doc)) })
		}
	}
	for _, p := range peers {
		p.until("the peers are up to date", func() bool { return p.graph.Heads().Equal(headsOf(t, h.repo, doc)) })
		p.leave()
	}
	return doc
}

// wantSame holds a document at one house against that at another: changes,
// blocks, and who made them.
func wantSame(t testing.TB, got, want *repo.Repo, doc kaijutsu.DocumentID) {
	t.Helper()
	if g, w := headsOf(t, got, doc), headsOf(t, want, doc); !g.Equal(w) {
		t.Errorf("document %s has heads %v, want %v", doc, g, w)
	}
	list := func(r *repo.Repo) (out []string) {
		err := r.View(t.Context(), doc, func(v repo.View) error {
			out = append(out, v.Title())
			for _, b := range v.Blocks() {
				out = append(out, fmt.Sprint(b.ID, b.Content, b.By, b.Via))
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		return out
	}
	if g, w := list(got), list(want); !slices.Equal(g, w) {
		t.Errorf("document %s holds %q, want %q", doc, g, w)
	}
	signers := func(r *repo.Repo) map[kaijutsu.ChangeHash]string {
		out := make(map[kaijutsu.ChangeHash]string)
		changes, err := r.Raw(t.Context(), doc, 0, 1<<30)
		if err != nil {
			t.Error(err)
		}
		for _, c := range changes {
			out[c.Hash] = fmt.Sprint(c.By, c.Via)
		}
		return out
	}
	if g, w := signers(got), signers(want); fmt.Sprint(g) != fmt.Sprint(w) {
		t.Errorf("document %s was made by %v, want %v", doc, g, w)
	}
}

// TestAbsorbInAnyOrder brings a document in random parts and orders, several
// times over and from several goroutines, while it is edited and followed.
func TestAbsorbInAnyOrder(t *testing.T) {
	from := open(t, t.TempDir(), nil)
	doc := branched(t, from)
	all := whole(t, from.repo, doc)
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			dir := t.TempDir()
			var l told
			h := open(t, dir, l.listen)
			var bearers sync.WaitGroup
			for bearer := range uint64(3) {
				bearers.Go(func() {
					dice := rand.New(rand.NewPCG(seed, bearer))
					order := slices.Clone(all.Changes)
					dice.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
					for len(order) > 0 {
						d := all
						d.Changes = order[:min(len(order), 1+dice.IntN(20))]
						order = order[len(d.Changes):]
						if _, err := h.repo.Absorb(t.Context(), doc, d); err != nil {
							t.Error(err)
						}
					}
				})
			}
			bearers.Wait()
			wantSame(t, h.repo, from.repo, doc)
			for _, c := range l.of(doc) {
				for _, change := range c.Changes {
					if !change.Remote || !c.Traced {
						t.Errorf("change %v is told as remote: %v, traced: %v; want both", change.Hash, change.Remote, c.Traced)
					}
				}
			}
			for _, e := range journal(t, h.repo, 0) {
				if !e.Remote {
					t.Errorf("entry %+v is not remote", e)
				}
			}
			checkJournal(t, h)
			again, err := h.repo.Absorb(t.Context(), doc, all)
			if err != nil || again.Taken != 0 || len(again.Missing) > 0 {
				t.Errorf("Absorb of what is here = %+v, %v; want nothing taken", again, err)
			}
			insert(t, h.repo, doc, "here")
			h.close(t)
			h = open(t, dir, nil)
			checkJournal(t, h)
			if entries := journal(t, h.repo, 0); entries[len(entries)-1].Remote {
				t.Error("the entry of an edit made here is remote")
			}
			back := whole(t, h.repo, doc)
			if got, err := from.repo.Absorb(t.Context(), doc, back); err != nil || got.Taken != 1 {
				t.Errorf("Absorb of one change more = %+v, %v; want it taken", got, err)
			}
			wantSame(t, h.repo, from.repo, doc)
			all = back
		})
	}
}

// TestAbsorbSaysWhatIsMissing brings the end of a document first.
func TestAbsorbSaysWhatIsMissing(t *testing.T) {
	from, h := open(t, t.TempDir(), nil), open(t, t.TempDir(), nil)
	doc := newContext(t, from.repo, "Plan")
	for range 10 {
		insert(t, from.repo, doc, "one")
	}
	all := whole(t, from.repo, doc)
	end := all
	end.Changes = all.Changes[6:]
	got, err := h.repo.Absorb(t.Context(), doc, end)
	if err != nil || got.Taken != 0 || len(got.Heads) != 0 || !slices.Equal(got.Missing, []kaijutsu.ChangeHash{all.Changes[5].Hash}) {
		t.Errorf("Absorb of the end = %+v, %v; want %v missing", got, err, all.Changes[5].Hash)
	}
	if here, err := h.repo.Exists(t.Context(), doc); err != nil || here {
		t.Errorf("Exists() = %v, %v with nothing but changes that wait, want false", here, err)
	}
	all.Changes = all.Changes[:6]
	if got, err = h.repo.Absorb(t.Context(), doc, all); err != nil || got.Taken != 12 || len(got.Missing) > 0 {
		t.Errorf("Absorb of the beginning = %+v, %v; want 12 taken", got, err)
	}
	wantSame(t, h.repo, from.repo, doc)
	has, err := h.repo.Has(t.Context(), doc, []kaijutsu.ChangeHash{all.Changes[3].Hash, {1}, end.Changes[5].Hash})
	if err != nil || !slices.Equal(has, []bool{true, false, true}) {
		t.Errorf("Has() = %v, %v; want true, false, true", has, err)
	}
}

// TestAbsorbRefuses brings what is not to be taken, among changes that are.
func TestAbsorbRefuses(t *testing.T) {
	from := open(t, t.TempDir(), nil)
	doc, other := newContext(t, from.repo, "Plan"), newContext(t, from.repo, "Other")
	for range 6 {
		insert(t, from.repo, doc, "one")
		insert(t, from.repo, other, "two")
	}
	all, others := whole(t, from.repo, doc), whole(t, from.repo, other)
	forge := func(change func(*amfile.Change)) *amfile.Change {
		last := all.Changes[5]
		c := &amfile.Change{
			Deps: []kaijutsu.ChangeHash{last.Hash}, Actors: []kaijutsu.ActorID{"0123456789abcdef"}, Seq: 1, StartOp: last.MaxOp() + 1,
			Ops: []amfile.Op{{Action: amfile.Put, Key: "x", Value: amfile.UintValue(1)}},
		}
		change(c)
		if err := amfile.EncodeChange(c); err != nil {
			t.Fatal(err)
		}
		return c
	}
	stolen := others
	stolen.Anchor = all.Anchor
	for _, tc := range []struct {
		name  string
		bad   *amfile.Change
		claim kaijutsu.ChangeHash
		empty bool // the document is not there yet
		want  error
		says  string
	}{
		{"a sequence number too far", forge(func(c *amfile.Change) { c.Seq = 3 }), all.Anchor, false, kaijutsu.ErrInvalid, "sequence number"},
		{"a counter of the past", forge(func(c *amfile.Change) { c.StartOp = 1 }), all.Anchor, false, kaijutsu.ErrInvalid, "starts at operation"},
		{"an object that is not there", forge(func(c *amfile.Change) {
			c.Ops[0].Obj = amfile.OpID{Counter: 7777, Actor: 0}
			c.StartOp = 8000
		}), all.Anchor, false, kaijutsu.ErrInvalid, ""},
		{"the same actor and number", forge(func(c *amfile.Change) { c.Actors[0], c.Seq = all.Changes[2].Author(), 1 }), all.Anchor, false, kaijutsu.ErrConflict, "sequence number"},
		{"the anchor of another context", others.Changes[1], all.Anchor, false, kaijutsu.ErrConflict, "descend"},
		{"the anchor of another context, first", others.Changes[1], kaijutsu.ChangeHash{}, true, kaijutsu.ErrConflict, "belongs to context"},
		{"the anchor of another context as its own", others.Changes[1], others.Anchor, true, kaijutsu.ErrConflict, "does not name it"},
		{"another id for the context", forge(func(c *amfile.Change) {
			c.Ops[0].Key, c.Ops[0].Value = "context", amfile.StringValue(kaijutsu.NewContextID(time.Now()).String())
		}), all.Anchor, false, kaijutsu.ErrConflict, "belongs to context"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var l told
			h := open(t, t.TempDir(), l.listen)
			good := all
			good.Changes = all.Changes[:6]
			if tc.empty {
				good.Changes = all.Changes[:1]
			}
			d := good
			d.Anchor = tc.claim
			d.Changes = append(slices.Clone(good.Changes), tc.bad, all.Changes[len(good.Changes)])
			got, err := h.repo.Absorb(t.Context(), doc, d)
			if !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.bad.Hash.String()) || !strings.Contains(err.Error(), tc.says) || !strings.Contains(err.Error(), "node other") {
				t.Errorf("Absorb() = %v, want one that wraps %v, names change %v and the node, and says %q", err, tc.want, tc.bad.Hash, tc.says)
			}
			if got.Taken != len(good.Changes) {
				t.Errorf("Absorb() took %d changes, want the %d before the bad one", got.Taken, len(good.Changes))
			}
			if _, err := h.repo.Absorb(t.Context(), doc, all); err != nil {
				t.Errorf("Absorb of the good ones = %v", err)
			}
			wantSame(t, h.repo, from.repo, doc)
			checkJournal(t, h)
		})
	}
	h := open(t, t.TempDir(), nil)
	for name, d := range map[string]repo.Delivery{
		"an empty change": {Changes: []*amfile.Change{nil}},
		"a long name":     {Signers: map[kaijutsu.ActorID]repo.Signer{"x": {By: kaijutsu.Principal{Name: strings.Repeat("x", 4000), Kind: kaijutsu.Person}}}},
	} {
		if _, err := h.repo.Absorb(t.Context(), doc, d); !errors.Is(err, kaijutsu.ErrInvalid) {
			t.Errorf("Absorb of %s = %v, want ErrInvalid", name, err)
		}
	}
	if err := from.repo.Delete(t.Context(), doc); err != nil {
		t.Fatal(err)
	}
	if _, err := from.repo.Absorb(t.Context(), doc, all); !errors.Is(err, repo.ErrDeleted) {
		t.Errorf("Absorb into a deleted document = %v, want ErrDeleted", err)
	}
}

// TestAbsorbWhenTheDiskRefuses loses nothing and shows nothing.
func TestAbsorbWhenTheDiskRefuses(t *testing.T) {
	from := open(t, t.TempDir(), nil)
	doc := newContext(t, from.repo, "Plan")
	insert(t, from.repo, doc, "one")
	on := fork(t, from.repo, doc, nil, "Fork")
	dir := t.TempDir()
	h := open(t, dir, nil)
	absorbAll(t, h.repo, doc, []repo.Delivery{whole(t, from.repo, doc)})
	h.close(t)
	h = open(t, dir, func(_ *repo.Config, o *store.Options) { o.MinFree = 1 << 60 })
	insert(t, from.repo, doc, "two")
	forked := forkDelivery(t, from.repo, on)
	for what, try := range map[string]func() (repo.Absorbed, error){
		"changes": func() (repo.Absorbed, error) { return h.repo.Absorb(t.Context(), doc, whole(t, from.repo, doc)) },
		"a fork":  func() (repo.Absorbed, error) { return h.repo.Absorb(t.Context(), on, forked) },
	} {
		if got, err := try(); !errors.Is(err, kaijutsu.ErrUnavailable) || got.Taken != 0 {
			t.Errorf("Absorb of %s with a full disk = %+v, %v; want ErrUnavailable and none taken", what, got, err)
		}
	}
	wantContents(t, h.repo, doc, "Plan", "one")
	if here, err := h.repo.Exists(t.Context(), on); err != nil || here {
		t.Errorf("Exists() of the fork = %v, %v; want false", here, err)
	}
	h.close(t)
	h = open(t, dir, nil)
	absorbAll(t, h.repo, doc, []repo.Delivery{whole(t, from.repo, doc)})
	absorbAll(t, h.repo, on, []repo.Delivery{forked})
	wantSame(t, h.repo, from.repo, doc)
	wantSame(t, h.repo, from.repo, on)
}

// forkDelivery returns what brings a fork to where its base is.
func forkDelivery(t testing.TB, r *repo.Repo, doc kaijutsu.DocumentID) repo.Delivery {
	t.Helper()
	from, err := r.Origin(t.Context(), doc)
	if err != nil || from.Base == nil {
		t.Fatalf("Origin() = %+v, %v; want a base", from, err)
	}
	d := deliveries(t, r, doc, from.Base.Heads)[0]
	d.Base = from.Base
	return d
}

// TestAbsorbForks brings forks: with the base here, before the base, of a past,
// of forks, and whole when they rest on nothing any more.
func TestAbsorbForks(t *testing.T) {
	from := open(t, t.TempDir(), nil)
	parent := newContext(t, from.repo, "Plan")
	insert(t, from.repo, parent, "one")
	past := headsOf(t, from.repo, parent)
	insert(t, from.repo, parent, "two")
	now, then := fork(t, from.repo, parent, nil, "Now"), fork(t, from.repo, parent, past, "Then")
	insert(t, from.repo, now, "three")
	again := fork(t, from.repo, now, nil, "Again")
	insert(t, from.repo, again, "four")
	forks := []kaijutsu.DocumentID{now, then, again}

	dir := t.TempDir()
	var l told
	h := open(t, dir, l.listen)
	early, err := h.repo.Absorb(t.Context(), now, forkDelivery(t, from.repo, now))
	if err != nil || early.Taken != 0 || !slices.Equal(early.Missing, headsOf(t, from.repo, parent)) {
		t.Errorf("Absorb of a fork without its base = %+v, %v; want the base's heads missing", early, err)
	}
	absorbAll(t, h.repo, parent, []repo.Delivery{whole(t, from.repo, parent)})
	for _, doc := range forks {
		d := forkDelivery(t, from.repo, doc)
		got, err := h.repo.Absorb(t.Context(), doc, d)
		if err != nil || got.Taken != len(d.Changes) || len(got.Missing) > 0 {
			t.Errorf("Absorb of a fork = %+v, %v; want %d taken", got, err, len(d.Changes))
		}
		first := l.of(doc)[0]
		if first.Base == nil || first.Base.Doc != d.Base.Doc || first.From != d.Base.Changes || first.Anchor != d.Changes[0].Hash {
			t.Errorf("told of the fork: %+v, want base %v and anchor %v", first, d.Base, d.Changes[0].Hash)
		}
		if origin, err := h.repo.Origin(t.Context(), doc); err != nil || origin.Base == nil || origin.Base.Doc != d.Base.Doc || origin.Anchor != d.Anchor {
			t.Errorf("Origin() = %+v, %v; want base %v and anchor %v", origin, err, d.Base, d.Anchor)
		}
		bad := d
		bad.Changes = d.Changes[len(d.Changes)-1:]
		if len(d.Changes) > 1 {
			if _, err := h.repo.Absorb(t.Context(), newDocument(t), bad); !errors.Is(err, kaijutsu.ErrInvalid) {
				t.Errorf("Absorb of a fork that does not begin with its anchor = %v, want ErrInvalid", err)
			}
		}
		if _, err := h.repo.Absorb(t.Context(), newDocument(t), d); !errors.Is(err, kaijutsu.ErrInvalid) {
			t.Errorf("Absorb of a fork under another id = %v, want ErrInvalid", err)
		}
	}
	checkJournal(t, h)
	check := func() {
		t.Helper()
		for _, doc := range append(forks, parent) {
			wantSame(t, h.repo, from.repo, doc)
		}
	}
	check()
	h.close(t)
	h = open(t, dir, nil)
	check()
	if err := h.repo.Delete(t.Context(), parent); err != nil {
		t.Fatal(err)
	}
	if err := from.repo.Delete(t.Context(), parent); err != nil {
		t.Fatal(err)
	}
	if origin, err := h.repo.Origin(t.Context(), now); err != nil || origin.Base != nil {
		t.Fatalf("Origin() with the base deleted = %+v, %v; want none", origin, err)
	}
	h3 := open(t, t.TempDir(), nil) // it never held the parent
	absorbAll(t, h3.repo, now, deliveries(t, h.repo, now, nil))
	wantSame(t, h3.repo, from.repo, now)
	insert(t, h3.repo, now, "five")
	absorbAll(t, from.repo, now, deliveries(t, h3.repo, now, headsOf(t, from.repo, now)))
	wantSame(t, h3.repo, from.repo, now)
	checkJournal(t, h3)
	if got := journal(t, h.repo, 0); len(got) == 0 {
		t.Error("the journal is empty")
	}
}

// TestAbsorbAnImport brings a document whose history was another context's.
func TestAbsorbAnImport(t *testing.T) {
	from, h := open(t, t.TempDir(), nil), open(t, t.TempDir(), nil)
	doc := newContext(t, from.repo, "Plan")
	insert(t, from.repo, doc, "one")
	file, err := from.repo.Export(t.Context(), doc)
	if err != nil {
		t.Fatal(err)
	}
	cid, err := from.repo.ImportDocument(t.Context(), amy, file)
	if err != nil {
		t.Fatal(err)
	}
	imported := cid.Document()
	insert(t, from.repo, imported, "two")
	d := whole(t, from.repo, imported)
	silent := d
	silent.Anchor = kaijutsu.ChangeHash{}
	if got, err := h.repo.Absorb(t.Context(), imported, silent); !errors.Is(err, kaijutsu.ErrConflict) || got.Taken != 1 {
		t.Errorf("Absorb that does not tell the anchor = %+v, %v; want the genesis change taken and ErrConflict", got, err)
	}
	rand.Shuffle(len(d.Changes), func(i, j int) { d.Changes[i], d.Changes[j] = d.Changes[j], d.Changes[i] })
	absorbAll(t, h.repo, imported, []repo.Delivery{d})
	wantSame(t, h.repo, from.repo, imported)
	foreign := whole(t, from.repo, doc)
	insert(t, from.repo, doc, "three")
	foreign.Changes = whole(t, from.repo, doc).Changes
	foreign.Anchor = kaijutsu.ChangeHash{}
	if _, err := h.repo.Absorb(t.Context(), imported, foreign); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("Absorb of a change of the document that was imported = %v, want ErrConflict", err)
	}
	wantSame(t, h.repo, from.repo, imported)
}

// TestSinceComesInParts reads a document from many positions.
func TestSinceComesInParts(t *testing.T) {
	h := open(t, t.TempDir(), nil)
	doc := branched(t, h)
	for range 15 {
		insert(t, h.repo, doc, strings.Repeat("long ", 9_000))
	}
	all, err := h.repo.Raw(t.Context(), doc, 0, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[kaijutsu.ChangeHash]bool)
	parts := 0
	err = h.repo.Since(t.Context(), doc, nil, func(part []repo.Change) error {
		parts++
		bytes := 0
		for _, c := range part {
			for _, dep := range c.Deps {
				if !seen[dep] {
					t.Errorf("change %v comes before %v, on which it depends", c.Hash, dep)
				}
			}
			seen[c.Hash], bytes = true, bytes+len(c.Raw)
		}
		if bytes > 256<<10 && len(part) > 1 {
			t.Errorf("a part of %d changes has %d bytes", len(part), bytes)
		}
		return nil
	})
	if err != nil || len(seen) != len(all) || parts < 2 {
		t.Errorf("Since(nothing) = %v, gives %d changes in %d parts, want %d", err, len(seen), parts, len(all))
	}
	for _, at := range []int{0, 5, 77, len(all) - 1} {
		got := 0
		have := kaijutsu.Heads{all[at].Hash, {1, 2, 3}}
		behind := ancestors(all, all[at].Hash)
		err := h.repo.Since(t.Context(), doc, have, func(part []repo.Change) error {
			for _, c := range part {
				if behind[c.Hash] {
					t.Errorf("Since(%v) gives %v, which is behind it", have[0], c.Hash)
				}
			}
			got += len(part)
			return nil
		})
		if err != nil || got != len(all)-len(behind) {
			t.Errorf("Since(change %d) = %v, gives %d changes, want %d", at, err, got, len(all)-len(behind))
		}
	}
	if err := h.repo.Since(t.Context(), newDocument(t), nil, nil); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("Since of an unknown document = %v, want ErrNotFound", err)
	}
	if part, err := h.repo.Raw(t.Context(), doc, 3, 4); err != nil || len(part) != 4 || part[0].Hash != all[3].Hash || part[3].Hash != all[6].Hash {
		t.Errorf("Raw(3, 4) = %d changes, %v; want 3 to 6", len(part), err)
	}
	if part, err := h.repo.Raw(t.Context(), doc, uint64(len(all)), 4); err != nil || len(part) != 0 {
		t.Errorf("Raw behind the end = %d changes, %v; want none", len(part), err)
	}
}

// ancestors are a change and those behind it.
func ancestors(all []repo.Change, h kaijutsu.ChangeHash) map[kaijutsu.ChangeHash]bool {
	behind := map[kaijutsu.ChangeHash]bool{h: true}
	for _, c := range slices.Backward(all) {
		if behind[c.Hash] {
			for _, dep := range c.Deps {
				behind[dep] = true
			}
		}
	}
	return behind
}

// TestLocalAndRemoteAreToldApart edits a document while others bring changes.
func TestLocalAndRemoteAreToldApart(t *testing.T) {
	from := open(t, t.TempDir(), nil)
	doc := newContext(t, from.repo, "Plan")
	var l told
	h := open(t, t.TempDir(), l.listen)
	absorbAll(t, h.repo, doc, []repo.Delivery{whole(t, from.repo, doc)})
	var crowd sync.WaitGroup
	mine := make(map[kaijutsu.ChangeHash]bool)
	var mu sync.Mutex
	for range 4 {
		crowd.Go(func() {
			for range 30 {
				id := blocks.NewID(time.Now())
				done, err := h.repo.Edit(t.Context(), doc, repo.Edit{By: amy}, func(_ repo.View, tx *blocks.Tx) error {
					return tx.InsertBlock(blocks.BlockSpec{ID: id, Content: "mine"})
				})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				mine[done.Change] = true
				mu.Unlock()
			}
		})
		crowd.Go(func() {
			for range 30 {
				have := headsOf(t, from.repo, doc)
				insert(t, from.repo, doc, "theirs")
				absorbAll(t, h.repo, doc, deliveries(t, from.repo, doc, have))
			}
		})
	}
	crowd.Wait()
	absorbAll(t, h.repo, doc, deliveries(t, from.repo, doc, nil))
	checkJournal(t, h)
	entries := journal(t, h.repo, 0)
	local := 0
	for i, c := range l.of(doc) {
		for _, change := range c.Changes {
			if change.Remote == mine[change.Hash] || change.Remote != entries[c.Seq-1].Remote {
				t.Errorf("commit %d: change %v is told as remote: %v, its entry is: %v; made here: %v", i, change.Hash, change.Remote, entries[c.Seq-1].Remote, mine[change.Hash])
			}
			if !change.Remote {
				local++
			}
		}
	}
	if local != 120 {
		t.Errorf("%d changes are told as local, want 120", local)
	}
	at := 0
	changes := slices.Concat(changesOf(l.of(doc))...)
	err := h.repo.Replay(t.Context(), doc, 0, 0, func(_ uint64, c repo.Change) error {
		if w := changes[at]; c.Hash != w.Hash || !c.Heads.Equal(w.Heads) || fmt.Sprint(steps(c)) != fmt.Sprint(steps(w)) {
			t.Errorf("replay of change %d has %v, told was %v", at, steps(c), steps(w))
		}
		at++
		return nil
	})
	if err != nil || at != len(changes) {
		t.Errorf("Replay() = %v after %d changes, want %d", err, at, len(changes))
	}
}

func changesOf(list []repo.Committed) (out [][]repo.Change) {
	for _, c := range list {
		out = append(out, c.Changes)
	}
	return out
}
