package repo_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/changegraph"
	"kaijutsu/internal/editor"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

var amy = kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Person}

// house is a repo over a store in a directory.
type house struct {
	dir   string
	store *store.Store
	repo  *repo.Repo
	woken chan *replica // replicas whose sessions have something to say
}

func open(t *testing.T, dir string, change func(*repo.Config, *store.Options)) *house {
	t.Helper()
	log := slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelWarn}))
	options := store.Options{Dir: dir, Log: log}
	config := repo.Config{Log: log}
	if change != nil {
		change(&config, &options)
	}
	s, err := store.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	config.Store = s
	h := &house{dir: dir, store: s, repo: repo.Start(config), woken: make(chan *replica, 10_000)}
	t.Cleanup(func() { h.close(t) })
	return h
}

func (h *house) close(t *testing.T) {
	t.Helper()
	if h.repo == nil {
		return
	}
	if err := h.repo.Close(); err != nil {
		t.Error(err)
	}
	if err := h.store.Close(); err != nil {
		t.Error(err)
	}
	h.repo, h.store = nil, nil
}

type testWriter struct{ t *testing.T }

func (w testWriter) Write(b []byte) (int, error) { w.t.Logf("%s", b); return len(b), nil }

func newDocument(t *testing.T) kaijutsu.DocumentID {
	t.Helper()
	var b [16]byte
	rand.Read(b[:])
	id, err := kaijutsu.DocumentIDFromBytes(b[:])
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// replica is a peer's side of a session: a graph and a sync state.
type replica struct {
	t       *testing.T
	graph   *changegraph.Graph
	state   *changegraph.SyncState
	session *repo.Session
	house   *house
	actor   kaijutsu.ActorID
	last    repo.Outgoing  // what Pull returned last, without the sync message
	told    kaijutsu.Heads // the server's, as it last said
	said    []error        // every refusal it was told
	first   []byte         // the first sync message that came
}

func newReplica(t *testing.T) *replica {
	var actor [16]byte
	rand.Read(actor[:])
	return &replica{t: t, graph: changegraph.New(), actor: kaijutsu.ActorID(actor[:])}
}

// join starts a session with a fresh sync state and says the first word.
func (r *replica) join(h *house, id kaijutsu.DocumentID) {
	r.t.Helper()
	r.joinAs(h, id, repo.Joining{Principal: amy})
}

// joinAs is join as somebody.
func (r *replica) joinAs(h *house, id kaijutsu.DocumentID, who repo.Joining) {
	r.t.Helper()
	r.state, r.house = changegraph.NewSyncState(), h
	who.Notify = func() { h.woken <- r }
	s, err := h.repo.Join(r.t.Context(), id, who)
	if err != nil {
		r.t.Fatal(err)
	}
	r.session = s
	r.push()
}

// leave ends the session.
func (r *replica) leave() {
	r.session.Leave()
	r.session = nil
}

// put makes a change that sets a fresh root key.
func (r *replica) put(n int) kaijutsu.ChangeHash {
	r.t.Helper()
	c := &amfile.Change{
		Deps: slices.Clone(r.graph.Heads()), Actors: []kaijutsu.ActorID{r.actor},
		Seq: r.graph.NextSeq(r.actor), StartOp: r.graph.MaxOp() + 1,
	}
	for i := range n {
		c.Ops = append(c.Ops, amfile.Op{Action: amfile.Put, Key: fmt.Sprintf("%v-%d-%d", r.actor, c.Seq, i), Value: amfile.UintValue(uint64(i))})
	}
	if err := amfile.EncodeChange(c); err != nil {
		r.t.Fatal(err)
	}
	if _, err := r.graph.Add(c); err != nil {
		r.t.Fatal(err)
	}
	return c.Hash
}

// push sends what there is to say.
func (r *replica) push() {
	r.t.Helper()
	data, ok := r.graph.Generate(r.state)
	if !ok {
		return
	}
	m, changes := decode(r.t, data)
	m.Flags = &amfile.SyncFlags{} // version 2 is understood
	if err := r.session.Receive(r.t.Context(), m, changes, r.graph.Len() == 0); err != nil {
		r.t.Fatal(err)
	}
}

// pull takes what there is and answers it.
func (r *replica) pull(ctx context.Context) error {
	out, err := r.session.Pull(ctx)
	if err != nil {
		return err
	}
	r.last = out
	r.said = append(r.said, out.Denied...)
	if len(out.Heads) > 0 {
		r.told = out.Heads
	}
	if out.Sync == nil {
		return nil
	}
	if r.first == nil {
		r.first = out.Sync
	}
	m, changes := decode(r.t, out.Sync)
	got := r.graph.Receive(r.state, m, changes, changegraph.ReceiveOptions{})
	if len(got.Refused) > 0 {
		r.t.Fatalf("the server sent a change that is refused: %v", got.Refused[0])
	}
	r.push()
	return nil
}

// until lets every replica of the house take what there is for it until cond
// holds.
func (r *replica) until(what string, cond func() bool) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 20*time.Second)
	defer cancel()
	for !cond() {
		select {
		case woken := <-r.house.woken:
			if woken.session == nil {
				continue // it left
			}
			if err := woken.pull(ctx); err != nil {
				r.t.Fatalf("waiting until %s: %v", what, err)
			}
		case <-ctx.Done():
			r.t.Fatalf("waiting until %s: %v", what, ctx.Err())
		}
	}
}

// eventually waits until cond holds for what other goroutines do.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	deadline := time.After(time.Minute)
	for !cond() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("it did not happen in time: %s", what)
		}
	}
}

func decode(t *testing.T, data []byte) (*amfile.SyncMessage, []*amfile.Change) {
	t.Helper()
	m, changes, err := editor.DecodeMessage(data)
	if err != nil {
		t.Fatal(err)
	}
	return m, changes
}
