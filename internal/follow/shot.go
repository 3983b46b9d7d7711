package follow

import (
	"context"
	"fmt"
	"sync"

	"kaijutsu"
)

// shotsEach is what part of the bytes of snapshots one principal may be the
// first to ask for, so that nobody takes all.
const shotsEach = 4

// shots are the snapshots that followers have not read yet. Those who ask for
// one version share its bytes, so that many who read slowly take no more memory
// than one; how many versions there may be at a time is bounded.
type shots struct {
	token chan struct{} // one is made at a time

	mu    sync.Mutex
	of    map[kaijutsu.DocumentID]*shot // guarded by mu; the newest of each
	bytes int                           // guarded by mu; of all, replaced ones too
	each  map[kaijutsu.Principal]int    // guarded by mu; bytes, by who asked first
}

// shot is one snapshot.
type shot struct {
	doc     kaijutsu.DocumentID
	by      kaijutsu.Principal // asked first
	version uint64
	item    Item
	readers int // guarded by shots.mu
}

func newShots() *shots {
	return &shots{token: make(chan struct{}, 1), of: make(map[kaijutsu.DocumentID]*shot), each: make(map[kaijutsu.Principal]int)}
}

// take returns the snapshot of a context as it is now, at a version or newer.
// Each take is paired with one leave.
func (a *shots) take(ctx context.Context, h *Hub, by kaijutsu.Principal, id kaijutsu.ContextID, version uint64) (*shot, error) {
	select {
	case a.token <- struct{}{}:
		defer func() { <-a.token }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	doc := id.Document()
	a.mu.Lock()
	s, full := a.of[doc], a.bytes >= h.cfg.SnapshotBytes || a.each[by] >= h.cfg.SnapshotBytes/shotsEach
	if s != nil && s.version >= version {
		s.readers++
		a.mu.Unlock()
		return s, nil
	}
	a.mu.Unlock()
	if full {
		return nil, fmt.Errorf("snapshot of context %s: %w: readers have not taken those they asked for; come back later", id, kaijutsu.ErrUnavailable)
	}
	now, err := h.look(ctx, doc, true)
	if err != nil {
		return nil, err
	}
	s = &shot{doc: doc, by: by, version: now.version, item: h.snapshotOf(id, now), readers: 1}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.of[doc] = s
	a.bytes += len(s.item.Frame)
	a.each[by] += len(s.item.Frame)
	return s, nil
}

// leave says that a reader has done with a snapshot.
func (a *shots) leave(s *shot) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s.readers--; s.readers > 0 {
		return
	}
	a.bytes -= len(s.item.Frame)
	if a.each[s.by] -= len(s.item.Frame); a.each[s.by] == 0 {
		delete(a.each, s.by)
	}
	if a.of[s.doc] == s {
		delete(a.of, s.doc)
	}
}

// itemFor returns the snapshot for a follower who goes on from an id behind it.
func (s *shot) itemFor(id string) Item {
	i := s.item
	i.ID, i.Head = id, []byte("id: "+id+"\n")
	return i
}

// leaveShot is for who has read its snapshot, or never will.
func (f *Follower) leaveShot() {
	if f.shot != nil && f.first == nil {
		f.h.shots.leave(f.shot)
		f.shot = nil
	}
}
