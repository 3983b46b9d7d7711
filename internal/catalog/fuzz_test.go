package catalog_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/catalog"
	"kaijutsu/internal/kjtest"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

// tumble calls operations with what dice make, and holds what comes of it
// against the promises: no panic, results of their schema, no write by what
// fails, errors that help.
type tumble struct {
	h     *house
	docs  []kaijutsu.DocumentID
	known known
}

func newTumble(t testing.TB) *tumble {
	u := &tumble{h: start(t)}
	kjtest.Home(t, u.h.home)
	u.h.call(owner(), "mount_add", `{"path":"/mnt/app","source":"git:~/src/app@greeting","rw":true}`)
	u.prepare()
	return u
}

// prepare makes what calls may be about, where it is not there any more.
func (u *tumble) prepare() {
	u.h.t.Helper()
	ctx := u.h.t.Context()
	all, err := u.h.kernel.Contexts(ctx, owner(), true)
	if err != nil {
		u.h.t.Fatal(err)
	}
	for _, info := range all { // a fresh start, now and then
		if err := u.h.kernel.Delete(ctx, owner(), info.Doc, true); err != nil {
			u.h.t.Fatal(err)
		}
	}
	u.docs, u.known = nil, known{names: []string{"reader-bot", "amy", "bob"}}
	fixture, err := catalog.Fixture()
	if err != nil {
		u.h.t.Fatal(err)
	}
	for i := range 2 {
		for _, in := range fixture {
			params := in.In
			if i == 1 {
				params = strings.NewReplacer("Plan", "Other", "00000000-0000-7000", "00000000-0000-7001").Replace(params)
			}
			u.h.call(owner(), in.Op, params)
		}
	}
	for _, row := range u.h.call(owner(), "context_list", "{}").list("contexts") {
		id, err := kaijutsu.ParseContextID(row.str("id"))
		if err != nil {
			u.h.t.Fatal(err)
		}
		u.docs = append(u.docs, id.Document())
		u.known.contexts = append(u.known.contexts, row.str("id"), row.str("title"), row.str("url"))
	}
	u.learn()
}

// learn finds what is there to name.
func (u *tumble) learn() {
	u.known.blocks, u.known.changes = nil, nil
	for _, doc := range u.docs {
		err := u.h.repo.View(u.h.t.Context(), doc, func(v repo.View) error {
			for i := range min(v.Log().Len(), 200) {
				u.known.changes = append(u.known.changes, v.Log().Hash(v.Log().Len()-1-i).String())
			}
			for b := range v.Model().Everything() {
				if len(u.known.blocks) < 60 {
					u.known.blocks = append(u.known.blocks, string(b.ID))
					u.known.content = b.Content
				}
			}
			return nil
		})
		if err != nil {
			u.prepare()
			return
		}
	}
}

// heads are those of all there was at the start.
func (u *tumble) heads() (all []kaijutsu.Heads) {
	u.h.t.Helper()
	if err := u.h.kernel.Flush(u.h.t.Context()); err != nil {
		u.h.t.Fatal(err)
	}
	for _, doc := range u.docs {
		heads, err := u.h.repo.Heads(u.h.t.Context(), doc)
		if err != nil {
			heads = nil
		}
		all = append(all, heads)
	}
	return all
}

// callers are those who call.
func callers(context string) []op.Call {
	return []op.Call{
		owner(), owner(), owner(), editor(),
		{By: kaijutsu.Principal{Name: "carl", Kind: kaijutsu.Person}, Right: kaijutsu.RightComment, Context: context},
		{By: kaijutsu.Principal{Name: "rita", Kind: kaijutsu.Person}, Right: kaijutsu.RightRead, Context: context},
		{By: amy, Right: kaijutsu.RightOwn, Context: context, Deny: []string{"block_edit"}},
	}
}

// throw calls one operation.
func (u *tumble) throw(seed uint64) error {
	d := dice{rand.New(rand.NewPCG(seed, 7)), u.known}
	all := u.h.set.All()
	o := all[d.IntN(len(all))]
	who := callers(d.one(u.known.contexts...))
	c := who[d.IntN(len(who))]
	in := d.params(o.In)

	ctx := u.h.t.Context()
	if o.Name == "elicit" { // which waits for as long as it may, but for the last two seconds
		short, cancel := context.WithTimeout(ctx, 2100*time.Millisecond)
		defer cancel()
		ctx = short
	}
	before := u.heads()
	result, err := u.h.set.Call(ctx, c, o.Name, in)
	if err == nil {
		if err := o.CheckResult(result); err != nil {
			return fmt.Errorf("seed %d: %s %s: the result %s is not of its schema: %w", seed, o.Name, in, result, err)
		}
		if o.Effect == op.Reads && !equal(before, u.heads()) {
			return fmt.Errorf("seed %d: %s %s wrote, and only reads", seed, o.Name, in)
		}
		return nil
	}
	p := op.ProblemOf(err)
	switch {
	case p.Kind == op.KindInternal:
		return fmt.Errorf("seed %d: %s %s: %w", seed, o.Name, in, err)
	case !equal(before, u.heads()):
		return fmt.Errorf("seed %d: %s %s wrote and failed: %w", seed, o.Name, in, err)
	case !helps(o, p):
		return fmt.Errorf("seed %d: %s %s: the error names no field and says not what to do: %s: %q", seed, o.Name, in, p.Kind, p.Message)
	}
	return nil
}

func equal(a, b []kaijutsu.Heads) bool { return slices.EqualFunc(a, b, kaijutsu.Heads.Equal) }

// helps reports whether a problem names a parameter, what it is about, or says
// what to do.
func helps(o *op.Op, p op.Problem) bool {
	if p.Field != "" || p.Hint != "" || p.Kind == "denied" {
		return true
	}
	words := []string{"parameters:", "parent", "block ", "context ", "document ", "operation ", "want ", "at most", "; ", "did you mean", "again", "no more to take back", "token ", "principal "}
	for name := range o.In.Properties {
		words = append(words, name)
	}
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(p.Message, w) })
}

// TestOperationsWithAnyParameters calls operations with what their schemas
// allow, nearly allow and do not allow: for a second or two, or for as long as
// KJ_FUZZ says (60s).
func TestOperationsWithAnyParameters(t *testing.T) {
	u := newTumble(t)
	end := time.Now().Add(1500 * time.Millisecond)
	seed := uint64(1)
	if long := os.Getenv("KJ_FUZZ"); long != "" {
		d, err := time.ParseDuration(long)
		if err != nil {
			t.Fatalf("KJ_FUZZ: %v", err)
		}
		end, seed = time.Now().Add(d), rand.Uint64()
	}
	n := 0
	for ; time.Now().Before(end); n++ {
		if n%50 == 49 {
			u.learn()
		}
		if n%1000 == 999 {
			u.prepare()
		}
		if err := u.throw(seed + uint64(n)); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d calls", n)
}

func FuzzOperations(f *testing.F) {
	u := newTumble(f)
	for seed := range uint64(40) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		u.h.t = t
		u.learn()
		if err := u.throw(seed); err != nil {
			t.Error(err)
		}
	})
}

// FuzzParameters calls one operation with any bytes at all.
func FuzzParameters(f *testing.F) {
	h := start(f)
	h.context("Plan")
	names := make([]string, 0, 40)
	for i, o := range h.set.All() {
		names = append(names, o.Name)
		for _, e := range o.Examples {
			f.Add(uint8(i), []byte(e.In))
		}
	}
	f.Fuzz(func(t *testing.T, n uint8, in []byte) {
		name := names[int(n)%len(names)]
		if name == "context_delete" || name == "context_import" || name == "mount_add" { // the last would find this machine's files
			return
		}
		_, err := h.set.Call(t.Context(), owner(), name, json.RawMessage(in))
		if err != nil && op.ProblemOf(err).Kind == op.KindInternal {
			t.Errorf("%s %q: %v", name, in, err)
		}
	})
}
