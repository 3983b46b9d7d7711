package policy

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/repo"
)

// push is something that a rule says is to be pushed.
type push struct {
	id        string
	rule      Rule
	by        kaijutsu.Principal
	from      kaijutsu.DocumentID
	to        string              // an address that stays the same
	target    kaijutsu.DocumentID // zero: of another kernel
	limit     string              // what the target is counted under
	block     drift.Handle
	content   string
	finding   string // fingerprint; empty: of the briefing that is made
	summarize bool
	chain     []string // where the finding has been, with the context that it comes from
	counted   bool     // it was within the limit, or staged
	stage     bool
}

// look reads a block and does what the rules say of it.
func (k *Keeper) look(p *Policy, t *task) {
	k.mu.Lock()
	was := *t
	t.news, t.done, t.mention = false, false, false
	k.mu.Unlock()

	s, err := k.see(t, nil)
	if err == nil && s.there && counts(s.Block.Block) && p.about(s.Block.Block, noteOf(s.Block.Block)) {
		s, err = k.see(t, &was) // what it says and whose words these are, at one time
	}
	b, there := s.Block, s.there
	switch {
	case errors.Is(err, kaijutsu.ErrNotFound), err == nil && !there:
		k.looked(t, false, false)
		return
	case err != nil:
		k.say("look", "drift policy: a context cannot be read; it is tried again", "document", t.doc, "err", err)
		k.mu.Lock()
		t.news, t.done, t.mention = was.news, was.done, was.mention
		t.due = k.cfg.Now().Add(firstRetry)
		k.mu.Unlock()
		return
	}
	n := noteOf(b.Block)
	done, mention := false, false
	if counts(b.Block) {
		if was.news && n.act == drift.ActPending {
			k.ask(p, t, b, n)
		}
		done, mention = k.apply(p, &was, b, n, s.heads, s.voice)
	}
	k.looked(t, done, mention)
}

// seen is a block as it was at one time.
type seen struct {
	repo.Block
	there bool
	heads kaijutsu.Heads
	voice voice
}

// see reads the block of a task, and whose words it is, of one that says what
// was done to it.
func (k *Keeper) see(t, done *task) (seen, error) {
	var s, none seen
	err := k.cfg.Repo.View(k.stopping, t.doc, func(v repo.View) error {
		s.Block, s.there = v.Block(t.block)
		s.heads = v.Heads
		if s.there && done != nil {
			s.voice = voiceOf(v, s.Block, done)
		}
		return nil
	})
	if err != nil {
		return none, err // the view may still run
	}
	return s, nil
}

// looked ends a look: the block is looked at again when it has changed
// meanwhile, or when it is quiet.
func (k *Keeper) looked(t *task, done, mention bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	t.done, t.mention = t.done || done, t.mention || mention
	switch {
	case t.news:
	case t.done || t.mention:
		t.due = k.cfg.Now().Add(k.cfg.Quiet)
	default:
		delete(k.tasks, t.taskKey)
	}
}

// apply makes pushes of what the rules say of a block, and returns what live
// text is waited for.
func (k *Keeper) apply(p *Policy, t *task, b repo.Block, n note, heads kaijutsu.Heads, by voice) (done, mention bool) {
	live := b.Form == blocks.FormText
	for _, r := range p.Rules {
		switch {
		case !r.matches(b.Block, n):
			continue
		case r.On == OnMention && live && t.news:
			mention = true
			continue
		case r.On == OnMention && !t.news && !t.mention, r.On != OnMention && !t.news && !t.done:
			continue
		case r.empty(b.Block):
			done = live && t.news
			continue
		}
		if !k.about(r, t.doc) {
			continue
		}
		if why := by.silent(r); why != "" {
			k.say(why+t.doc.String(), "drift policy: a block is not pushed: "+why, "rule", r.On, "context", t.doc.Name(), "block", b.ID)
			continue
		}
		for _, at := range k.targets(r, t.doc, b.Content) {
			k.enqueue(t, newPush(k, r, t.doc, at, b, n, heads, by.by))
		}
	}
	return done, mention
}

// about reports whether a rule is about a context.
func (k *Keeper) about(r Rule, doc kaijutsu.DocumentID) bool {
	if r.From == "" {
		return true
	}
	at, err := k.cfg.Kernel.Address(k.stopping, k.call(doc), r.From)
	if err != nil {
		k.say("from "+r.From, "drift policy: a rule's from leads nowhere", "from", r.From, "err", err)
		return false
	}
	return at.Kernel == "" && at.Doc == doc
}

// target is where something goes.
type target struct {
	doc kaijutsu.DocumentID // zero: of another kernel
	to  string
}

// targets returns where a rule pushes a block of a context to: never to where it
// is.
func (k *Keeper) targets(r Rule, doc kaijutsu.DocumentID, content string) []target {
	if r.On == OnMention {
		var out []target
		for _, label := range mentions(content) {
			if at, ok := k.cfg.Kernel.ByLabel(label); ok && at != doc {
				out = append(out, target{at, at.Name()})
			}
		}
		return out
	}
	at, err := k.cfg.Kernel.Address(k.stopping, k.call(doc), r.To)
	switch {
	case err != nil:
		k.say("to "+r.To+" "+doc.String(), "drift policy: a rule's to leads nowhere", "context", doc.Name(), "to", r.To, "err", err)
	case at.Kernel != "":
		return []target{{to: at.Kernel + ":" + at.Rest}}
	case at.Doc != doc:
		return []target{{at.Doc, at.Doc.Name()}}
	}
	return nil
}

// enqueue has a push fired: next, or by the lane when it is distilled first.
func (k *Keeper) enqueue(t *task, p *push) {
	k.mu.Lock()
	defer k.mu.Unlock()
	key := taskKey{t.doc, t.block, p.id}
	if was := k.tasks[key]; was != nil {
		was.seq = max(was.seq, t.seq)
		return
	}
	k.tasks[key] = &task{taskKey: key, seq: t.seq, due: k.cfg.Now(), push: p}
}

func newPush(k *Keeper, r Rule, doc kaijutsu.DocumentID, at target, b repo.Block, n note, heads kaijutsu.Heads, by kaijutsu.Principal) *push {
	p := &push{
		rule: r, by: by, from: doc, to: at.to, target: at.doc, content: b.Content,
		block:     drift.Handle{Context: doc.Name(), Block: string(b.ID), Heads: heads.Texts()},
		summarize: r.briefs(),
		chain:     union(n.meta.Chain, []string{k.place(doc)}),
	}
	p.limit = at.to
	if !at.doc.IsZero() {
		p.limit = at.doc.String()
	}
	p.finding = drift.Fingerprint(b.Content)
	if n.meta.Finding != "" {
		p.finding = n.meta.Finding // as it was when it was first pushed
	}
	what := p.finding
	if p.summarize {
		what, p.finding = what+" "+string(b.ID), "" // a briefing of then, not the finding
	}
	p.id = derive(originOf(b.Block, n), p.limit, what)
	return p
}

// originOf is when a finding was first written down: of one that drifted here,
// the time of the drift that brought it, which has it from there.
func originOf(b blocks.Block, n note) time.Time {
	if id := n.meta.DriftID; n.drift && len(id) == 36 && id[14] == '7' {
		if ms, err := hex.DecodeString(strings.ReplaceAll(id[:13], "-", "")); err == nil {
			return time.UnixMilli(int64(binary.BigEndian.Uint64(slices.Concat([]byte{0, 0}, ms))))
		}
	}
	return b.Created
}

// derive returns the id of an automatic push: a UUIDv7 (RFC 9562 §5.7) of the
// time at which the finding was written down, with 74 bits of a SHA-256 in place
// of chance.
func derive(origin time.Time, target, what string) string {
	sum := sha256.Sum256([]byte("kaijutsu automatic drift\x00" + target + "\x00" + what))
	id := [16]byte(sum[:16])
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(max(origin.UnixMilli(), 0)))
	copy(id[:6], ms[2:])
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	s := hex.EncodeToString(id[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}
