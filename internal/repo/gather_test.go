package repo_test

import (
	"sync"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/changegraph"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

// hearer is a session that is handed what there is to say.
type hearer struct {
	t       *testing.T
	session *repo.Session

	mu       sync.Mutex
	busy     bool // not ready
	notified int
	handed   int // messages
	graph    *changegraph.Graph
}

func hear(t *testing.T, h *house, id kaijutsu.DocumentID) *hearer {
	t.Helper()
	r := &hearer{t: t, graph: changegraph.New()}
	s, err := h.repo.Join(t.Context(), id, repo.Joining{
		Principal: amy,
		Notify:    func() { r.mu.Lock(); r.notified++; r.mu.Unlock() },
		Ready:     func() bool { r.mu.Lock(); defer r.mu.Unlock(); return !r.busy },
		Deliver:   r.take,
	})
	if err != nil {
		t.Fatal(err)
	}
	r.session = s
	if err := s.Receive(t.Context(), &amfile.SyncMessage{Version: 1, Have: []amfile.Have{{}}}, nil, true); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *hearer) take(out repo.Outgoing) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy {
		r.t.Error("something was handed to a session that is not ready")
	}
	r.hold(out)
}

func (r *hearer) hold(out repo.Outgoing) {
	if out.Sync == nil {
		return
	}
	r.handed++
	m, err := amfile.DecodeSync(out.Sync)
	if err != nil {
		r.t.Error(err)
		return
	}
	for _, raw := range m.Changes {
		c, err := amfile.DecodeChange(raw)
		if err == nil {
			_, err = r.graph.Add(c)
		}
		if err != nil {
			r.t.Error(err)
		}
	}
}

func (r *hearer) state() (heads kaijutsu.Heads, handed, notified int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.graph.Heads(), r.handed, r.notified
}

// settled returns the heads of the document once the owner has said what there
// was to say without waiting.
func (h *house) settled(t *testing.T, id kaijutsu.DocumentID) kaijutsu.Heads {
	t.Helper()
	heads, err := h.repo.Heads(t.Context(), id)
	for range 2 { // the first may be of the same batch
		if err == nil {
			heads, err = h.repo.Heads(t.Context(), id)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return heads
}

// TestManyAreToldInFewMessages has one writer write without pause before many
// sessions: they get everything, in as many messages as there are windows.
func TestManyAreToldInFewMessages(t *testing.T) {
	tests := []struct {
		name   string
		gather time.Duration
		few    bool
	}{
		{"the default", 0, true},
		{"never", -1, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			id := newDocument(t)
			h := open(t, t.TempDir(), func(c *repo.Config, _ *store.Options) { c.Gather = tt.gather })
			w := newReplica(t)
			w.put(1)
			w.join(h, id)
			w.until("the first change is told", func() bool { return w.told.Equal(w.graph.Heads()) })
			var all []*hearer
			for range 64 {
				all = append(all, hear(t, h, id))
			}
			h.settled(t, id)
			const edits = 200
			began := time.Now()
			for range edits {
				w.put(1)
				w.push()
				w.until("the change is stored", func() bool {
					heads, err := h.repo.Heads(t.Context(), id)
					return err == nil && heads.Equal(w.graph.Heads())
				})
			}
			windows := int(time.Since(began)/(10*time.Millisecond)) + 1
			for i, r := range all {
				eventually(t, "everything is told", func() bool { heads, _, _ := r.state(); return heads.Equal(w.graph.Heads()) })
				_, handed, notified := r.state()
				if most := 2*windows + 2; tt.few && handed > most {
					t.Errorf("session %d got %d messages, want at most %d in %d windows", i, handed, most, windows)
				}
				if !tt.few && handed < edits {
					t.Errorf("session %d got %d messages, want one for each of %d edits", i, handed, edits)
				}
				if notified > 0 {
					t.Errorf("session %d was told %d times to ask, while it was ready", i, notified)
				}
			}
		})
	}
}

// TestTheFirstAfterARestIsToldAtOnce expects an edit to be told by the batch
// that stores it, however many sessions there are.
func TestTheFirstAfterARestIsToldAtOnce(t *testing.T) {
	id := newDocument(t)
	h := open(t, t.TempDir(), nil)
	w := newReplica(t)
	w.put(1)
	w.join(h, id)
	w.until("the first change is told", func() bool { return w.told.Equal(w.graph.Heads()) })
	var all []*hearer
	for range 64 {
		all = append(all, hear(t, h, id))
	}
	h.settled(t, id)
	rest := time.NewTimer(50 * time.Millisecond) // longer than the window
	<-rest.C
	w.put(1)
	w.push()
	w.until("the change is stored", func() bool { return h.settled(t, id).Equal(w.graph.Heads()) })
	for i, r := range all {
		if heads, _, _ := r.state(); !heads.Equal(w.graph.Heads()) {
			t.Errorf("session %d holds %v when the change is stored, want %v", i, heads, w.graph.Heads())
		}
	}
}

// TestABusySessionAsks has edits come while a session is not ready: it is told to
// ask, and gets all of them at once.
func TestABusySessionAsks(t *testing.T) {
	id := newDocument(t)
	h := open(t, t.TempDir(), nil)
	w := newReplica(t)
	w.put(1)
	w.join(h, id)
	w.until("the first change is told", func() bool { return w.told.Equal(w.graph.Heads()) })
	r := hear(t, h, id)
	h.settled(t, id)
	_, before, _ := r.state()
	r.mu.Lock()
	r.busy = true
	r.mu.Unlock()
	for range 5 {
		w.put(1)
		w.push()
		w.until("the change is stored", func() bool { return h.settled(t, id).Equal(w.graph.Heads()) })
	}
	if _, handed, notified := r.state(); handed != before || notified == 0 {
		t.Errorf("a busy session was handed %d messages and told %d times to ask, want 0 and some", handed-before, notified)
	}
	out, err := r.session.Pull(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.mu.Lock()
	r.hold(out)
	r.busy = false
	r.mu.Unlock()
	if heads, handed, _ := r.state(); handed != before+1 || !heads.Equal(w.graph.Heads()) {
		t.Errorf("after one Pull the session holds %v in %d messages, want %v in one", heads, handed-before, w.graph.Heads())
	}
	w.put(1)
	w.push()
	w.until("the change is stored", func() bool { return h.settled(t, id).Equal(w.graph.Heads()) })
	if _, handed, _ := r.state(); handed != before+2 {
		t.Errorf("a session that is ready again was handed %d messages, want 1", handed-before-1)
	}
}
