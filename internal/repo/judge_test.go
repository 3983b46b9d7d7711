package repo_test

import (
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/repo"
)

var (
	ben   = kaijutsu.Principal{Name: "ben", Kind: kaijutsu.Person}
	relay = kaijutsu.Principal{Name: "relay", Kind: kaijutsu.Service}
)

// role is a right that tests change while a session goes on.
type role struct{ atomic.Uint32 }

func (r *role) set(to kaijutsu.Right) { r.Store(uint32(to)) }

// guest joins as ben with a role.
func guest(t *testing.T, h *house, doc kaijutsu.DocumentID, right kaijutsu.Right) (*replica, *role) {
	t.Helper()
	r, can := newReplica(t), new(role)
	can.set(right)
	r.joinAs(h, doc, repo.Joining{Principal: ben, Right: func() kaijutsu.Right { return kaijutsu.Right(can.Load()) }})
	return r, can
}

// edit makes a change as a client's editor does, and sends it.
func (r *replica) edit(f func(*blocks.Tx) error) kaijutsu.ChangeHash {
	r.t.Helper()
	h := r.edited(f)
	r.push()
	return h
}

// edited makes a change without sending it.
func (r *replica) edited(f func(*blocks.Tx) error) kaijutsu.ChangeHash {
	r.t.Helper()
	m := blocks.NewModel()
	for i := range r.graph.Len() {
		c, err := amfile.DecodeChange(r.graph.Raw(i))
		if err != nil {
			r.t.Fatal(err)
		}
		m.Apply(c)
	}
	c, err := m.Commit(blocks.CommitOptions{
		Actor: r.actor, Seq: r.graph.NextSeq(r.actor), StartOp: r.graph.MaxOp() + 1, Deps: r.graph.Heads(), Time: time.Now(),
	}, f)
	if err != nil {
		r.t.Fatal(err)
	}
	if _, err := r.graph.Add(c); err != nil {
		r.t.Fatal(err)
	}
	return c.Hash
}

// current reports whether the replica holds what the server said last.
func (r *replica) current() bool { return r.graph.Len() > 0 && r.told.Equal(r.graph.Heads()) }

// denied waits until the replica is told that a change was not taken, and
// returns the text.
func (r *replica) denied(h kaijutsu.ChangeHash) string {
	r.t.Helper()
	var text string
	r.until("the refusal of "+h.String()[:8], func() bool {
		for _, err := range r.said {
			if strings.Contains(err.Error(), h.String()) {
				text = err.Error()
			}
		}
		return text != ""
	})
	return text
}

// TestAStrayMessageIsRefused sends what a client wrote in one context under the
// id of another: of a fork and what it was forked from, both ways.
func TestAStrayMessageIsRefused(t *testing.T) {
	h := open(t, t.TempDir(), nil)
	parent := newContext(t, h.repo, "Plan")
	id := insert(t, h.repo, parent, "one")
	child := fork(t, h.repo, parent, nil, "Fork")
	grown := fork(t, h.repo, child, nil, "Again")
	docs := map[string]kaijutsu.DocumentID{"parent": parent, "fork": child, "fork of the fork": grown}
	for name, from := range docs {
		for other, to := range docs {
			if from == to {
				continue
			}
			a, b := newReplica(t), newReplica(t)
			a.join(h, from)
			b.join(h, to)
			a.until("both are there", func() bool { return a.current() && b.current() })
			a.session, b.session = b.session, a.session // and its next message goes astray
			stray := a.edit(func(tx *blocks.Tx) error { return tx.AppendText(id, " more") })
			a.session, b.session = b.session, a.session
			mine := b.edit(func(tx *blocks.Tx) error { return tx.SetTitle(name + other) })
			b.until("the session goes on", func() bool { return b.told.Contains(mine) })
			if text := b.denied(stray); !strings.Contains(text, "another one") && !strings.Contains(text, "belongs to context") {
				t.Errorf("%s sent as %s is refused: %s", name, other, text)
			}
			if got := headsOf(t, h.repo, to); !got.Equal(kaijutsu.Heads{mine}) {
				t.Errorf("%s sent as %s: heads = %v, want %v alone", name, other, got, mine)
			}
			if got := headsOf(t, h.repo, from); got.Contains(stray) {
				t.Errorf("%s holds a change that was not sent there", name)
			}
			a.leave()
			b.leave()
		}
	}
}

// TestAContextCannotBeRenamed: nobody says that a context is another one.
func TestAContextCannotBeRenamed(t *testing.T) {
	h := open(t, t.TempDir(), nil)
	put := func(r *replica, key string, v amfile.Value) kaijutsu.ChangeHash {
		c := &amfile.Change{
			Deps: slices.Clone(r.graph.Heads()), Actors: []kaijutsu.ActorID{r.actor}, Seq: r.graph.NextSeq(r.actor), StartOp: r.graph.MaxOp() + 1,
			Ops: []amfile.Op{{Action: amfile.Put, Key: key, Value: v}},
		}
		if err := amfile.EncodeChange(c); err != nil {
			t.Fatal(err)
		}
		if _, err := r.graph.Add(c); err != nil {
			t.Fatal(err)
		}
		r.push()
		return c.Hash
	}
	stranger := kaijutsu.NewContextID(time.Now()).String()
	doc := newContext(t, h.repo, "Plan")
	for _, value := range []string{stranger, "something"} {
		a := newReplica(t)
		a.join(h, doc)
		a.until("it is there", func() bool { return a.graph.Len() > 0 })
		a.denied(put(a, "context", amfile.StringValue(value)))
		a.leave()
	}
	plain := newDocument(t) // whose "context" is its own affair, unless it is an id
	a := newReplica(t)
	a.join(h, plain)
	mine := put(a, "context", amfile.StringValue("something"))
	a.until("it is taken", func() bool { return a.told.Contains(mine) })
	a.denied(put(a, "context", amfile.StringValue(stranger)))
}

// TestAClientMakesAContext: a context that a client made by the published recipe
// has an anchor like those made here, also after a restart.
func TestAClientMakesAContext(t *testing.T) {
	dir := t.TempDir()
	h := open(t, dir, nil)
	cid := kaijutsu.NewContextID(time.Now())
	a := newReplica(t)
	stranger := newReplica(t)
	for _, r := range []*replica{a, stranger} {
		if _, err := r.graph.Add(blocks.Genesis()); err != nil {
			t.Fatal(err)
		}
	}
	a.edited(func(tx *blocks.Tx) error { return tx.SetContext(cid) })
	a.join(h, cid.Document())
	a.until("it is taken", a.current)
	check := func() {
		stray := stranger.edited(func(tx *blocks.Tx) error { return tx.SetTitle("mine" + stranger.graph.Heads().String()) })
		stranger.join(h, cid.Document())
		if text := stranger.denied(stray); !strings.Contains(text, "another one") && !strings.Contains(text, "refused change") {
			t.Errorf("what does not rest on the anchor is refused: %s", text)
		}
		stranger.leave()
	}
	check()
	a.leave()
	h.close(t)
	h = open(t, dir, nil)
	check()
}

func TestRolesOnSync(t *testing.T) {
	h := open(t, t.TempDir(), nil)
	doc := newContext(t, h.repo, "Plan")
	theirs := insert(t, h.repo, doc, "one")
	editor := newReplica(t)
	editor.join(h, doc)
	comment := func(id blocks.ID) func(*blocks.Tx) error {
		return func(tx *blocks.Tx) error {
			return tx.InsertBlock(blocks.BlockSpec{ID: id, Kind: blocks.KindComment, Content: "hm"})
		}
	}
	insertText := func(tx *blocks.Tx) error {
		return tx.InsertBlock(blocks.BlockSpec{ID: blocks.NewID(time.Now()), Content: "text"})
	}
	own := blocks.NewID(time.Now())
	amys := blocks.NewID(time.Now())
	editor.until("it is there", func() bool { return editor.graph.Len() == 3 })
	editor.edit(comment(amys))
	editor.until("the comment is there", editor.current)

	for name, c := range map[string]struct {
		right kaijutsu.Right
		edits []func(*blocks.Tx) error // those before the last are taken
		says  string
	}{
		"a reader writes":                     {kaijutsu.RightRead, []func(*blocks.Tx) error{insertText}, "may only read"},
		"a reader comments":                   {kaijutsu.RightRead, []func(*blocks.Tx) error{comment(blocks.NewID(time.Now()))}, "may only read"},
		"a commenter writes a text":           {kaijutsu.RightComment, []func(*blocks.Tx) error{insertText}, "may only comment"},
		"a commenter edits a text":            {kaijutsu.RightComment, []func(*blocks.Tx) error{func(tx *blocks.Tx) error { return tx.AppendText(theirs, "!") }}, "may only comment"},
		"a commenter moves a text":            {kaijutsu.RightComment, []func(*blocks.Tx) error{func(tx *blocks.Tx) error { return tx.SetStatus(theirs, blocks.StatusError) }}, "may only comment"},
		"a commenter sets the title":          {kaijutsu.RightComment, []func(*blocks.Tx) error{func(tx *blocks.Tx) error { return tx.SetTitle("mine") }}, "may only comment"},
		"a commenter edits another's comment": {kaijutsu.RightComment, []func(*blocks.Tx) error{func(tx *blocks.Tx) error { return tx.AppendText(amys, "!") }}, "may only comment"},
		"a commenter comments, edits that, and deletes a text": {kaijutsu.RightComment, []func(*blocks.Tx) error{
			comment(own),
			func(tx *blocks.Tx) error { return tx.AppendText(own, " hm") },
			func(tx *blocks.Tx) error { return tx.Delete(theirs) },
		}, "may only comment"},
	} {
		r, _ := guest(t, h, doc, c.right)
		r.until("it is there", r.current)
		var hash kaijutsu.ChangeHash
		for i, edit := range c.edits {
			hash = r.edit(edit)
			if i < len(c.edits)-1 {
				r.until("an edit is taken", func() bool { return r.told.Contains(hash) })
			}
		}
		if text := r.denied(hash); !strings.Contains(text, c.says) {
			t.Errorf("%s: the refusal says %q, want %q", name, text, c.says)
		}
		seen := editor.edit(insertText)
		r.until("it goes on reading", func() bool { return r.graph.Has(seen) })
		next := r.edit(insertText)
		if text := r.denied(next); c.right == kaijutsu.RightComment && !strings.Contains(text, hash.String()) {
			t.Errorf("%s: the next refusal says %q, want the change that it depends on", name, text)
		}
		if heads := headsOf(t, h.repo, doc); editor.graph.Has(hash) || heads.Contains(hash) {
			t.Errorf("%s: others see it", name)
		}
		r.leave()
	}
	wantComment := func(id blocks.ID, text string, by kaijutsu.Principal) {
		t.Helper()
		err := h.repo.View(t.Context(), doc, func(v repo.View) error {
			if b, ok := v.Block(id); !ok || b.Content != text || b.By != by {
				t.Errorf("comment = %+v, want %q by %v", b, text, by)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	wantComment(own, "hm hm", ben)
	wantComment(amys, "hm", amy)
}

// TestARightMoves raises and lowers a right while a session goes on.
func TestARightMoves(t *testing.T) {
	h := open(t, t.TempDir(), nil)
	doc := newContext(t, h.repo, "Plan")
	for _, from := range []kaijutsu.Right{kaijutsu.RightRead, kaijutsu.RightComment} {
		r, can := guest(t, h, doc, from)
		r.until("it is there", func() bool { return r.graph.Len() > 0 })
		first := r.edit(func(tx *blocks.Tx) error { return tx.SetTitle("by " + from.String()) })
		r.denied(first)
		can.set(kaijutsu.RightEdit)
		second := r.edit(func(tx *blocks.Tx) error { return tx.SetTitle("by an editor") })
		r.until("both are taken", func() bool { return r.told.Contains(second) })
		can.set(kaijutsu.RightNone)
		insert(t, h.repo, doc, "not for ben")
		before := r.graph.Len()
		r.until("it is told that it is over", func() bool { return errors.Is(r.last.Ended, kaijutsu.ErrDenied) })
		if r.graph.Len() != before {
			t.Errorf("it got %d changes after its right was taken", r.graph.Len()-before)
		}
		r.leave()
	}
}

// TestWaitingChangesAreJudged: what waited for a change of somebody else is
// judged and signed as of who brought it.
func TestWaitingChangesAreJudged(t *testing.T) {
	h := open(t, t.TempDir(), nil)
	doc := newContext(t, h.repo, "Plan")
	editor := newReplica(t)
	editor.join(h, doc)
	editor.until("it is there", func() bool { return editor.graph.Len() > 0 })
	r, _ := guest(t, h, doc, kaijutsu.RightComment)
	r.until("it is there", func() bool { return r.graph.Len() > 0 })
	service := newReplica(t)
	service.joinAs(h, doc, repo.Joining{Principal: relay})
	service.until("it is there", func() bool { return service.graph.Len() > 0 })

	// All three build on a change that only the editor has, and has not sent.
	kept := editor.session
	editor.session = nil
	held := editor.put(1)
	raw := editor.graph.Raw(editor.graph.Len() - 1)
	var hashes []kaijutsu.ChangeHash
	comment := blocks.NewID(time.Now())
	for _, p := range []struct {
		r *replica
		f func(*blocks.Tx) error
	}{
		{r, func(tx *blocks.Tx) error { return tx.SetTitle("mine") }},
		{service, func(tx *blocks.Tx) error {
			return tx.InsertBlock(blocks.BlockSpec{ID: comment, Kind: blocks.KindComment})
		}},
	} {
		c, err := amfile.DecodeChange(raw)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.r.graph.Add(c); err != nil {
			t.Fatal(err)
		}
		session := p.r.session
		p.r.session = nil
		hash := p.r.edited(p.f)
		hashes = append(hashes, hash)
		i, _ := p.r.graph.Index(hash)
		last, err := amfile.DecodeChange(p.r.graph.Raw(i))
		if err != nil {
			t.Fatal(err)
		}
		m := &amfile.SyncMessage{Version: 1, Heads: p.r.graph.Heads(), Have: []amfile.Have{{}}}
		if err := session.Receive(t.Context(), m, []*amfile.Change{last}, false); err != nil {
			t.Fatal(err)
		}
		p.r.session = session
	}
	editor.session = kept
	editor.push()
	editor.until("the held change and the service's are taken", func() bool {
		return editor.graph.Has(hashes[1])
	})
	if !editor.graph.Has(held) || editor.graph.Has(hashes[0]) {
		t.Errorf("the commenter's change got through")
	}
	err := h.repo.View(t.Context(), doc, func(v repo.View) error {
		if b, ok := v.Block(comment); !ok || !b.By.IsZero() || b.Via != relay {
			t.Errorf("the service's block = %+v, want one by nobody known, via %v", b, relay)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestActorsMadeHereAreNobodyElses: an editor cannot write as somebody whose
// edits the server makes.
func TestActorsMadeHereAreNobodyElses(t *testing.T) {
	h := open(t, t.TempDir(), nil)
	doc := newContext(t, h.repo, "Plan")
	id := insert(t, h.repo, doc, "one")
	r, _ := guest(t, h, doc, kaijutsu.RightEdit)
	r.until("it is there", r.current)
	err := h.repo.View(t.Context(), doc, func(v repo.View) error {
		b, _ := v.Block(id)
		r.actor = b.Author
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	forged := r.edit(func(tx *blocks.Tx) error { return tx.AppendText(id, " by ben") })
	if text := r.denied(forged); !strings.Contains(text, "this server's own") {
		t.Errorf("the refusal says %q", text)
	}
	if headsOf(t, h.repo, doc).Contains(forged) {
		t.Error("the server holds the change")
	}
}

// TestARelayedActorIsVia: when another principal's connection brings a change
// of a known actor, the actor stays who it is, and has come through them.
func TestARelayedActorIsVia(t *testing.T) {
	dir := t.TempDir()
	h := open(t, dir, nil)
	doc := newContext(t, h.repo, "Plan")
	id := insert(t, h.repo, doc, "one")

	first := newReplica(t)
	first.joinAs(h, doc, repo.Joining{Principal: amy})
	first.until("it is there", first.current)
	mine := first.edit(func(tx *blocks.Tx) error { return tx.AppendText(id, " by amy") })
	first.until("it is taken", func() bool { return first.told.Contains(mine) })
	check := func(want kaijutsu.Principal) {
		t.Helper()
		err := h.repo.View(t.Context(), doc, func(v repo.View) error {
			by, via := v.Principal(first.actor)
			if by != amy || via != want {
				t.Errorf("the actor is %v via %v, want amy via %v", by, via, want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	check(kaijutsu.Principal{})

	r, _ := guest(t, h, doc, kaijutsu.RightEdit)
	r.until("it is there", r.current)
	r.actor = first.actor
	relayed := r.edit(func(tx *blocks.Tx) error { return tx.AppendText(id, ", or so ben says") })
	r.until("it is taken", func() bool { return r.told.Contains(relayed) })
	check(ben)
	h.close(t)
	h = open(t, dir, nil)
	check(ben)
}
