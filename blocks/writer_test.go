package blocks

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/automerge/automerge-go"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/changegraph"
)

// pair is a document's changes and its model in step, as an owner keeps them.
// The graph judges every change as it does those of strangers.
type pair struct {
	t     testing.TB
	graph *changegraph.Graph
	model *Model
	raws  [][]byte
	actor kaijutsu.ActorID
	now   time.Time
}

// newPair starts from changes; none means a fresh context.
func newPair(t testing.TB, actor string, raws ...[]byte) *pair {
	t.Helper()
	if len(raws) == 0 {
		raws = [][]byte{Genesis().Raw}
	}
	p := &pair{t: t, graph: changegraph.New(), model: NewModel(), actor: kaijutsu.ActorID(actor), now: time.Unix(1_700_000_000, 0)}
	p.receive(raws...)
	return p
}

// receive takes in changes of others, or of its own.
func (p *pair) receive(raws ...[]byte) {
	p.t.Helper()
	for _, raw := range raws {
		c, err := amfile.DecodeChange(raw)
		if err != nil {
			p.t.Fatalf("DecodeChange: %v", err)
		}
		added, err := p.graph.Add(c)
		if err != nil {
			p.t.Fatalf("Add: %v", err)
		}
		for _, c := range added {
			p.model.Apply(c)
			p.raws = append(p.raws, c.Raw)
		}
	}
}

// options are what a change is made with.
func (p *pair) options() CommitOptions {
	return CommitOptions{Actor: p.actor, Time: p.now, Deps: p.graph.Heads()}
}

// commit makes a change and lets graph and model follow.
func (p *pair) commit(f func(*Tx) error) ([]byte, error) {
	p.t.Helper()
	c, err := p.model.Commit(p.options(), f)
	if c == nil {
		return nil, err
	}
	n := len(p.raws)
	p.receive(c.Raw)
	if len(p.raws) != n+1 {
		p.t.Fatalf("the graph did not take the change")
	}
	return c.Raw, err
}

// must makes a change that works.
func (p *pair) must(f func(*Tx) error) []byte {
	p.t.Helper()
	raw, err := p.commit(f)
	if err != nil {
		p.t.Fatalf("Commit: %v", err)
	}
	return raw
}

// insert makes a block with default fields and returns its id.
func (p *pair) insert(spec BlockSpec) ID {
	p.t.Helper()
	if spec.ID == "" {
		spec.ID = NewID(p.now)
	}
	p.must(func(tx *Tx) error { return tx.InsertBlock(spec) })
	return spec.ID
}

// contents returns the contents of the blocks in order, joined.
func (p *pair) contents() string {
	var all []string
	for _, b := range p.model.Blocks() {
		all = append(all, b.Content)
	}
	return strings.Join(all, " ")
}

func (p *pair) block(id ID) Block {
	p.t.Helper()
	b, ok := p.model.Block(id)
	if !ok {
		p.t.Fatalf("Block(%s) does not exist", id)
	}
	return b
}

func TestInsertBlockFillsInDefaults(t *testing.T) {
	tests := []struct {
		name string
		spec BlockSpec
		want Block
	}{
		{"a user's text", BlockSpec{Content: "hé😀"}, Block{Kind: KindText, Role: RoleUser, Status: StatusDone, Form: FormText, Content: "hé😀"}},
		{"an empty text", BlockSpec{}, Block{Kind: KindText, Role: RoleUser, Status: StatusDone, Form: FormText}},
		{"a finished answer", BlockSpec{Role: RoleModel, Content: "x"}, Block{Kind: KindText, Role: RoleModel, Status: StatusDone, Form: FormBody, Content: "x"}},
		{"an empty record", BlockSpec{Role: RoleTool}, Block{Kind: KindText, Role: RoleTool, Status: StatusDone, Form: FormBody}},
		{"a running tool", BlockSpec{Kind: KindToolResult, Role: RoleTool, Status: StatusRunning, Content: "a"}, Block{Kind: KindToolResult, Role: RoleTool, Status: StatusRunning, Form: FormChunks, Content: "a"}},
		{"all fields", BlockSpec{Kind: KindError, Role: RoleSystem, Status: StatusError, Form: FormBody, Content: "b", Meta: `{"code":1}`}, Block{Kind: KindError, Role: RoleSystem, Status: StatusError, Form: FormBody, Content: "b", Meta: `{"code":1}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPair(t, "actor")
			got := p.block(p.insert(tt.spec))
			tt.want.ID, tt.want.Order = got.ID, got.Order
			tt.want.Author, tt.want.Created = "actor", p.now.UTC()
			if got != tt.want {
				t.Errorf("Block = %+v\nwant    %+v", got, tt.want)
			}
			if len(got.Order) != len(zeroPlace)+jitterChars+len(firstOfRun) {
				t.Errorf("Order = %q, want a key of one level", got.Order)
			}
		})
	}
}

func TestInsertBlockRefuses(t *testing.T) {
	p := newPair(t, "actor")
	known := p.insert(BlockSpec{Content: "known"})
	child := p.insert(BlockSpec{Parent: known})
	deleted := p.insert(BlockSpec{Content: "gone"})
	p.set(deleted, "deleted", true)
	id := NewID(p.now)
	tests := []struct {
		name string
		spec BlockSpec
		want error
		says string
	}{
		{"no id", BlockSpec{}, kaijutsu.ErrInvalid, "id"},
		{"a name for an id", BlockSpec{ID: "hello"}, kaijutsu.ErrInvalid, "id"},
		{"an upper-case id", BlockSpec{ID: ID(strings.ToUpper(string(id)))}, kaijutsu.ErrInvalid, "id"},
		{"a taken id", BlockSpec{ID: known}, kaijutsu.ErrConflict, "taken"},
		{"the id of a deleted block", BlockSpec{ID: deleted}, kaijutsu.ErrConflict, "taken"},
		{"an unknown parent", BlockSpec{ID: id, Parent: NewID(p.now)}, kaijutsu.ErrNotFound, "parent"},
		{"a parent that is no id", BlockSpec{ID: id, Parent: "x"}, kaijutsu.ErrInvalid, "parent"},
		{"itself as parent", BlockSpec{ID: id, Parent: id}, kaijutsu.ErrNotFound, "parent"},
		{"after an unknown block", BlockSpec{ID: id, Position: After(NewID(p.now))}, kaijutsu.ErrNotFound, "next to"},
		{"before an unknown block", BlockSpec{ID: id, Position: Before(NewID(p.now))}, kaijutsu.ErrNotFound, "next to"},
		{"after a block of another parent", BlockSpec{ID: id, Parent: deleted, Position: After(child)}, kaijutsu.ErrInvalid, "not below"},
		{"an unknown role", BlockSpec{ID: id, Role: "king"}, kaijutsu.ErrInvalid, "role"},
		{"an unknown status", BlockSpec{ID: id, Status: "bogus"}, kaijutsu.ErrInvalid, "status"},
		{"an unknown form", BlockSpec{ID: id, Form: "html"}, kaijutsu.ErrInvalid, "form"},
		{"a kind of other characters", BlockSpec{ID: id, Kind: "Text!"}, kaijutsu.ErrInvalid, "kind"},
		{"meta that is no object", BlockSpec{ID: id, Meta: "[1]"}, kaijutsu.ErrInvalid, "meta"},
		{"meta that is no JSON", BlockSpec{ID: id, Meta: "{"}, kaijutsu.ErrInvalid, "meta"},
		{"content that is not UTF-8", BlockSpec{ID: id, Content: "\xff"}, kaijutsu.ErrInvalid, "UTF-8"},
		{"a text too long", BlockSpec{ID: id, Content: strings.Repeat("é", maxTextRunes+1)}, kaijutsu.ErrTooLarge, "characters"},
		{"a body too long", BlockSpec{ID: id, Form: FormBody, Content: strings.Repeat("x", maxRecordBytes+1)}, kaijutsu.ErrTooLarge, "bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			heads := p.graph.Heads()
			raw, err := p.commit(func(tx *Tx) error { return tx.InsertBlock(tt.spec) })
			if raw != nil || !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("Commit = %x, %v, want an error that wraps %q and names %q", raw, err, tt.want, tt.says)
			}
			if !p.graph.Heads().Equal(heads) {
				t.Errorf("the heads moved")
			}
		})
	}
}

// set writes a boolean field by way of another replica.
func (p *pair) set(id ID, key string, value any) {
	p.t.Helper()
	doc := p.library()
	if err := doc.Path("pages", id.Page(), string(id), key).Set(value); err != nil {
		p.t.Fatal(err)
	}
	p.receive(commitLibrary(p.t, doc))
}

// library returns the document as automerge-go has it.
func (p *pair) library() *automerge.Doc {
	p.t.Helper()
	var all []byte
	for _, raw := range p.raws {
		all = append(all, raw...)
	}
	doc, err := automerge.Load(all)
	if err != nil {
		p.t.Fatalf("automerge.Load: %v", err)
	}
	return doc
}

func commitLibrary(t testing.TB, doc *automerge.Doc) []byte {
	t.Helper()
	at := time.UnixMilli(1_700_000_000)
	hash, err := doc.Commit("", automerge.CommitOptions{Time: &at})
	if err != nil {
		t.Fatal(err)
	}
	c, err := doc.Change(hash)
	if err != nil {
		t.Fatal(err)
	}
	return c.Save()
}

func TestPositions(t *testing.T) {
	p := newPair(t, "actor")
	a := p.insert(BlockSpec{Content: "a"})
	b := p.insert(BlockSpec{Content: "b", Position: After(a)})
	p.insert(BlockSpec{Content: "c", Position: After(a)})
	if got, want := p.contents(), "a c b"; got != want {
		t.Errorf("b after a, then c after a: %q, want %q", got, want)
	}
	p.insert(BlockSpec{Content: "first", Position: First()})
	p.insert(BlockSpec{Content: "last", Position: Last()})
	p.insert(BlockSpec{Content: "B", Position: Before(b)})
	if got, want := p.contents(), "first a c B b last"; got != want {
		t.Errorf("contents = %q, want %q", got, want)
	}
	child := p.insert(BlockSpec{Content: "a1", Parent: a})
	p.insert(BlockSpec{Content: "a0", Position: Before(child)})
	p.insert(BlockSpec{Content: "a2", Parent: a})
	p.insert(BlockSpec{Content: "a1+", Parent: a, Position: After(child)})
	if got, want := p.contents(), "first a a0 a1 a1+ a2 c B b last"; got != want {
		t.Errorf("contents = %q, want %q", got, want)
	}
}

func TestPositionsWithinOneTransaction(t *testing.T) {
	p := newPair(t, "actor")
	p.must(func(tx *Tx) error {
		var prev ID
		for i := range 5 {
			id := NewID(p.now)
			pos := Last()
			if i == 3 {
				pos = Before(prev)
			}
			if err := tx.InsertBlock(BlockSpec{ID: id, Content: fmt.Sprint(i), Position: pos}); err != nil {
				return err
			}
			if err := tx.InsertBlock(BlockSpec{ID: NewID(p.now), Content: fmt.Sprint(i, "c"), Parent: id}); err != nil {
				return err
			}
			if err := tx.AppendText(id, "!"); err != nil {
				return err
			}
			prev = id
		}
		return nil
	})
	if got, want := p.contents(), "0! 0c 1! 1c 3! 3c 2! 2c 4! 4c"; got != want {
		t.Errorf("contents = %q, want %q", got, want)
	}
}

func TestDepthIsBounded(t *testing.T) {
	p := newPair(t, "actor")
	var deepest ID
	p.must(func(tx *Tx) error {
		for range maxDepth {
			id := NewID(p.now)
			if err := tx.InsertBlock(BlockSpec{ID: id, Parent: deepest, Form: FormBody}); err != nil {
				return err
			}
			deepest = id
		}
		return nil
	})
	if got := p.block(deepest).Depth; got != maxDepth-1 {
		t.Errorf("Depth = %d, want %d", got, maxDepth-1)
	}
	_, err := p.commit(func(tx *Tx) error { return tx.InsertBlock(BlockSpec{ID: NewID(p.now), Parent: deepest}) })
	if !errors.Is(err, kaijutsu.ErrTooLarge) {
		t.Errorf("one block deeper: %v, want an error that wraps ErrTooLarge", err)
	}
}

func TestAppendText(t *testing.T) {
	p := newPair(t, "actor")
	text := p.insert(BlockSpec{Content: "hé😀"})
	chunks := p.insert(BlockSpec{Role: RoleModel, Status: StatusRunning})
	body := p.insert(BlockSpec{Role: RoleModel, Content: "done"})
	deleted := p.insert(BlockSpec{Content: "gone"})
	p.set(deleted, "deleted", true)
	for _, id := range []ID{text, chunks} {
		p.must(func(tx *Tx) error { return tx.AppendText(id, "a漢") })
		p.must(func(tx *Tx) error { return errors.Join(tx.AppendText(id, "b"), tx.AppendText(id, "")) })
	}
	if got, want := p.block(text).Content, "hé😀a漢b"; got != want {
		t.Errorf("text = %q, want %q", got, want)
	}
	if got, want := p.block(chunks).Content, "a漢b"; got != want {
		t.Errorf("chunks = %q, want %q", got, want)
	}
	if raw, err := p.commit(func(tx *Tx) error { return tx.AppendText(text, "") }); raw != nil || err != nil {
		t.Errorf("appending nothing = %x, %v, want no change", raw, err)
	}
	for _, tt := range []struct {
		name string
		id   ID
		text string
		want error
		says string
	}{
		{"a record", body, "x", kaijutsu.ErrConflict, "thaw"},
		{"a deleted block", deleted, "x", kaijutsu.ErrConflict, "deleted"},
		{"an unknown block", NewID(p.now), "x", kaijutsu.ErrNotFound, "not found"},
		{"no id", "nothing", "x", kaijutsu.ErrInvalid, "id"},
		{"bad UTF-8", text, "\xff", kaijutsu.ErrInvalid, "UTF-8"},
		{"too much text", text, strings.Repeat("x", maxTextRunes+1), kaijutsu.ErrTooLarge, "characters"},
		{"too much for a chunk", chunks, strings.Repeat("x", maxRecordBytes+1), kaijutsu.ErrTooLarge, "bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := p.commit(func(tx *Tx) error { return tx.AppendText(tt.id, tt.text) })
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("AppendText = %v, want an error that wraps %q and says %q", err, tt.want, tt.says)
			}
		})
	}
}

func TestSetStatusSealsAStream(t *testing.T) {
	p := newPair(t, "actor")
	id := p.insert(BlockSpec{Role: RoleModel, Status: StatusPending})
	p.must(func(tx *Tx) error { return tx.SetStatus(id, StatusRunning) })
	if raw, err := p.commit(func(tx *Tx) error { return tx.SetStatus(id, StatusRunning) }); raw != nil || err != nil {
		t.Errorf("the same status = %x, %v, want no change", raw, err)
	}
	for _, s := range []string{"one ", "two ", "three"} {
		p.must(func(tx *Tx) error { return tx.AppendText(id, s) })
	}
	if b := p.block(id); b.Form != FormChunks || b.Content != "one two three" || b.Status != StatusRunning {
		t.Errorf("while it runs: %+v", b)
	}
	p.must(func(tx *Tx) error { return tx.SetStatus(id, StatusDone) })
	if b := p.block(id); b.Form != FormBody || b.Content != "one two three" || b.Status != StatusDone {
		t.Errorf("when it is done: %+v", b)
	}
	_, err := p.commit(func(tx *Tx) error { return tx.SetStatus(id, StatusRunning) })
	if !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("SetStatus(done → running) = %v, want an error that wraps ErrConflict", err)
	}
	p.must(func(tx *Tx) error { return tx.SetStatus(id, StatusError) })
	if b := p.block(id); b.Status != StatusError {
		t.Errorf("Status = %s, want error", b.Status)
	}
	_, err = p.commit(func(tx *Tx) error { return tx.SetStatus(id, "bogus") })
	if !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("SetStatus(bogus) = %v, want an error that wraps ErrInvalid", err)
	}
}

func TestALateRunningDoesNotBeatATerminalStatus(t *testing.T) {
	a := newPair(t, "aaaa")
	id := a.insert(BlockSpec{Role: RoleTool, Status: StatusPending})
	b := newPair(t, "zzzz", a.raws...) // wins every conflict
	done := a.must(func(tx *Tx) error { return tx.SetStatus(id, StatusDone) })
	late := b.must(func(tx *Tx) error { return tx.SetStatus(id, StatusRunning) })
	a.receive(late)
	b.receive(done)
	for name, p := range map[string]*pair{"a": a, "b": b} {
		if got := p.block(id).Status; got != StatusDone {
			t.Errorf("%s sees %s, want done", name, got)
		}
	}
	if _, err := b.commit(func(tx *Tx) error { return tx.SetStatus(id, StatusRunning) }); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("SetStatus(running) = %v, want an error that wraps ErrConflict", err)
	}
	// Saying done again settles the conflict for those who read without a lattice.
	b.must(func(tx *Tx) error { return tx.SetStatus(id, StatusDone) })
	v, err := b.library().Path("pages", id.Page(), string(id), "status").Get()
	if err != nil || v.Str() != "done" {
		t.Errorf("the winner is %v, %v, want done", v, err)
	}
}

func TestSetTitleTouchesOnlyWhatDiffers(t *testing.T) {
	p := newPair(t, "actor")
	for _, title := range []string{"Plan", "Plan B 😀", "Plan C 😀", "", "é"} {
		raw := p.must(func(tx *Tx) error { return tx.SetTitle(title) })
		if got := p.model.Title(); got != title {
			t.Errorf("Title() = %q, want %q", got, title)
		}
		if c, _ := amfile.DecodeChange(raw); title == "Plan C 😀" && len(c.Ops) != 2 {
			t.Errorf("B → C takes %d operations, want 2", len(c.Ops))
		}
	}
	if raw, err := p.commit(func(tx *Tx) error { return tx.SetTitle("é") }); raw != nil || err != nil {
		t.Errorf("the same title = %x, %v, want no change", raw, err)
	}
}

func TestCommitIsAllOrNothing(t *testing.T) {
	p := newPair(t, "actor")
	id := p.insert(BlockSpec{Content: "a"})
	heads := p.graph.Heads()
	stop := errors.New("stop")
	_, err := p.commit(func(tx *Tx) error {
		if err := errors.Join(tx.AppendText(id, "lost"), tx.InsertBlock(BlockSpec{ID: NewID(p.now)}), tx.SetTitle("lost")); err != nil {
			return err
		}
		return stop
	})
	if !errors.Is(err, stop) {
		t.Fatalf("Commit = %v, want %v", err, stop)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Errorf("Commit swallowed a panic")
			}
		}()
		_, _ = p.commit(func(tx *Tx) error {
			_ = tx.AppendText(id, "lost")
			panic("stop")
		})
	}()
	if !p.graph.Heads().Equal(heads) {
		t.Errorf("the heads moved")
	}
	p.must(func(tx *Tx) error { return tx.AppendText(id, "b") })
	if got, want := p.contents(), "ab"; got != want || p.model.Title() != "" {
		t.Errorf("contents, title = %q, %q, want %q, \"\"", got, p.model.Title(), want)
	}
	if got, err := p.library().Path("pages", id.Page(), string(id), "text").Text().Get(); err != nil || got != "ab" {
		t.Errorf("automerge-go reads %q, %v, want \"ab\"", got, err)
	}
}

func TestATransactionEndsWithItsFunction(t *testing.T) {
	p := newPair(t, "actor")
	id := p.insert(BlockSpec{Content: "a"})
	var kept *Tx
	p.must(func(tx *Tx) error { kept = tx; return tx.AppendText(id, "b") })
	for name, err := range map[string]error{
		"SetTitle":    kept.SetTitle("x"),
		"InsertBlock": kept.InsertBlock(BlockSpec{ID: NewID(p.now)}),
		"AppendText":  kept.AppendText(id, "x"),
		"SetStatus":   kept.SetStatus(id, StatusError),
	} {
		if !errors.Is(err, kaijutsu.ErrInvalid) {
			t.Errorf("%s afterwards = %v, want an error that wraps ErrInvalid", name, err)
		}
	}
}

func TestCommittedChangesAreInSeconds(t *testing.T) {
	p := newPair(t, "actor")
	p.now = time.Unix(1_700_000_123, 999_000_000)
	opt := CommitOptions{Actor: "someone", Time: p.now, Message: "why", Deps: p.graph.Heads()}
	c, err := p.model.Commit(opt, func(tx *Tx) error { return tx.SetTitle("x") })
	if err != nil {
		t.Fatal(err)
	}
	if c.Time != 1_700_000_123 || c.Message != "why" || c.Author() != "someone" || c.Seq != 1 || c.StartOp != 68 {
		t.Errorf("change = time %d, message %q, author %q, seq %d, from operation %d", c.Time, c.Message, string(c.Author()), c.Seq, c.StartOp)
	}
	if p.model.Changes() != 1 || p.model.Title() != "" {
		t.Errorf("Commit applied the change")
	}
}

func TestCommitRefusesBadOptions(t *testing.T) {
	p := newPair(t, "actor")
	p.must(func(tx *Tx) error { return tx.SetTitle("one") })
	tests := map[string]func(*CommitOptions){
		"no actor":                  func(o *CommitOptions) { o.Actor = "" },
		"a long actor":              func(o *CommitOptions) { o.Actor = kaijutsu.ActorID(strings.Repeat("x", amfile.MaxActorBytes+1)) },
		"no time":                   func(o *CommitOptions) { o.Time = time.Time{} },
		"no dependencies":           func(o *CommitOptions) { o.Deps = nil },
		"a number that was used":    func(o *CommitOptions) { o.Seq = 1 },
		"a number too far":          func(o *CommitOptions) { o.Seq = 3 },
		"operations that exist":     func(o *CommitOptions) { o.StartOp = 70 },
		"operations without end":    func(o *CommitOptions) { o.StartOp = amfile.MaxCounter },
		"a long message":            func(o *CommitOptions) { o.Message = strings.Repeat("x", 70_000) },
		"a message that is no text": func(o *CommitOptions) { o.Message = "\xff" },
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			opt := p.options()
			spoil(&opt)
			if c, err := p.model.Commit(opt, func(tx *Tx) error { return tx.SetTitle("x") }); c != nil || err == nil {
				t.Errorf("Commit = %v, %v, want an error", c, err)
			}
		})
	}
	opt := p.options()
	opt.Seq, opt.StartOp = 2, 1000
	if c, err := p.model.Commit(opt, func(tx *Tx) error { return tx.SetTitle("x") }); err != nil || c.StartOp != 1000 {
		t.Errorf("Commit afterwards: %v, %v", c, err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestEditingWhatIsNoContext(t *testing.T) {
	doc := automerge.New()
	if err := doc.Path("todo").Set("x"); err != nil {
		t.Fatal(err)
	}
	p := newPair(t, "actor", commitLibrary(t, doc))
	if p.model.IsContext() || p.model.Len() != 0 {
		t.Errorf("IsContext, Len = %v, %d, want false, 0", p.model.IsContext(), p.model.Len())
	}
	_, err := p.commit(func(tx *Tx) error { return tx.InsertBlock(BlockSpec{ID: NewID(p.now)}) })
	if !errors.Is(err, kaijutsu.ErrInvalid) || !strings.Contains(err.Error(), "no context") {
		t.Errorf("InsertBlock = %v, want an error that wraps ErrInvalid and says what is wrong", err)
	}
}

func TestOneChangeIsBounded(t *testing.T) {
	p := newPair(t, "actor")
	id := p.insert(BlockSpec{})
	stream := p.insert(BlockSpec{Role: RoleModel, Status: StatusRunning})
	heads := p.graph.Heads()
	for name, f := range map[string]func(tx *Tx) error{
		"operations": func(tx *Tx) error {
			for range maxTxOps/maxTextRunes + 1 {
				if err := tx.AppendText(id, strings.Repeat("x", maxTextRunes)); err != nil {
					return err
				}
			}
			return nil
		},
		"bytes": func(tx *Tx) error {
			for range maxTxBytes/maxRecordBytes + 1 {
				if err := tx.AppendText(stream, strings.Repeat("x", maxRecordBytes)); err != nil {
					return err
				}
			}
			return nil
		},
		"a title": func(tx *Tx) error { return tx.SetTitle(strings.Repeat("x", maxTitleBytes+1)) },
		"meta": func(tx *Tx) error {
			return tx.InsertBlock(BlockSpec{ID: NewID(p.now), Meta: "{" + strings.Repeat(" ", maxMetaBytes) + "}"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			if raw, err := p.commit(f); raw != nil || !errors.Is(err, kaijutsu.ErrTooLarge) || !p.graph.Heads().Equal(heads) {
				t.Errorf("Commit = %d bytes, %v, want an error that wraps ErrTooLarge", len(raw), err)
			}
		})
	}
	if _, err := p.commit(func(tx *Tx) error { return tx.SetTitle("\xff") }); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("SetTitle(bad UTF-8) = %v, want an error that wraps ErrInvalid", err)
	}
}

func TestAStreamTooLongForOneBodyStaysInChunks(t *testing.T) {
	p := newPair(t, "actor")
	id := p.insert(BlockSpec{Role: RoleModel, Status: StatusRunning})
	for range 3 {
		p.must(func(tx *Tx) error { return tx.AppendText(id, strings.Repeat("x", maxRecordBytes/2)) })
	}
	p.must(func(tx *Tx) error { return tx.SetStatus(id, StatusDone) })
	if b := p.block(id); b.Form != FormChunks || b.Status != StatusDone || len(b.Content) != 3*maxRecordBytes/2 {
		t.Errorf("form %s, status %s, %d bytes", b.Form, b.Status, len(b.Content))
	}
}
