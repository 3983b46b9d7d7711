package torture

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"kaijutsu"
)

// maxProblems bounds what one follower writes down.
const maxProblems = 5

// follower reads the events of one context at one node, with a mirror, or of
// all of them. It holds the events against the law: each version once, in
// order, with all its parts, over any number of connections.
type follower struct {
	name   string
	node   *node
	target *target // nil: all contexts
	late   bool    // it came when others were writing already
	query  string
	token  string // empty: none is sent
	client *http.Client

	mu         sync.Mutex
	lastID     string
	tracks     map[string]*track // by context
	mirror     mirror
	settled    bool // the snapshot was there, or of all contexts the first word
	events     int
	connects   int
	snapshots  int
	resets     []string
	cuts       map[string]int // why the server ended a stream, in its words
	problems   []string
	discarding bool // after a problem: what follows from it is not another
	moved      chan struct{}
}

// track is how far a follower is in one context.
type track struct {
	base        uint64 // the version it started from
	version     uint64
	part, parts int
	changes     map[string]uint64 // hash to version, behind base
}

func newFollower(n *node, t *target) *follower {
	f := &follower{token: n.owner, client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, node: n, target: t, tracks: make(map[string]*track), cuts: make(map[string]int), moved: make(chan struct{})}
	if t != nil {
		f.name = fmt.Sprintf("follower of context %s at node %s", t.id, n.name)
		f.query = "context=" + url.QueryEscape(t.id) + "&snapshot=true"
	} else {
		f.name = "follower of all contexts at node " + n.name
		f.query = "pattern=" + url.QueryEscape("ctx.>")
	}
	return f
}

// run follows until ctx ends, and comes back when the connection is lost.
func (f *follower) run(ctx context.Context) {
	for ctx.Err() == nil {
		f.mu.Lock()
		last := f.lastID
		f.mu.Unlock()
		err := readFrames(ctx, f.client, f.node.url()+"/v1/events?"+f.query, f.token, last, f.opened, f.take)
		if err != nil && errors.Is(err, kaijutsu.ErrInvalid) {
			f.problem("%v", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(comeback):
		}
	}
}

// opened notes that a connection stands.
func (f *follower) opened() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.connects++
}

// isFollowing says why it does not follow yet.
func (f *follower) isFollowing() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.settled {
		return fmt.Errorf("%s: nothing has come yet: %w", f.name, kaijutsu.ErrUnavailable)
	}
	return nil
}

// take takes one frame.
func (f *follower) take(fr frame) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	defer func() { close(f.moved); f.moved = make(chan struct{}) }()
	switch fr.name {
	case "hello":
		f.settled = f.settled || f.target == nil
		if fr.id != "" {
			f.lastID = fr.id
		}
		return nil
	case "snapshot":
		return f.snapshotLocked(fr)
	case "reset":
		f.resets = append(f.resets, fr.data)
		f.problemLocked("the server could not go on from %q: %.300s", f.lastID, fr.data)
		f.lastID, f.tracks = fr.id, make(map[string]*track)
		return nil
	case "error":
		f.cuts[fr.data]++
		return nil
	}
	e, err := decodeEvent(fr.data)
	if err != nil {
		return err
	}
	f.events++
	if e.Version > 0 {
		f.derivedLocked(&e)
	}
	if fr.id != "" {
		f.lastID = fr.id
	}
	return nil
}

// snapshotLocked begins a context anew.
func (f *follower) snapshotLocked(fr frame) error {
	var s struct {
		Version uint64 `json:"version"`
		Blocks  []row  `json:"blocks"`
	}
	if err := json.Unmarshal([]byte(fr.data), &s); err != nil || f.target == nil {
		return fmt.Errorf("snapshot %.200q: %w: %w", fr.data, kaijutsu.ErrInvalid, err)
	}
	f.snapshots++
	if f.snapshots > len(f.resets)+1 {
		f.problemLocked("a snapshot came although it had one, behind version %d", f.tracks[f.target.id].version)
	}
	f.mirror = mirror{rows: s.Blocks}
	f.tracks[f.target.id] = &track{base: s.Version, version: s.Version, changes: make(map[string]uint64)}
	f.settled, f.discarding = true, false
	if fr.id != "" {
		f.lastID = fr.id
	}
	return nil
}

// derivedLocked checks an event that comes of a change.
func (f *follower) derivedLocked(e *event) {
	t := f.tracks[e.Context]
	if t == nil {
		if f.target != nil {
			f.problemLocked("an event of context %s came before its snapshot, or is of another context", e.Context)
			return
		}
		t = &track{base: e.Version - 1, version: e.Version - 1, changes: make(map[string]uint64)}
		f.tracks[e.Context] = t
	}
	if err := t.next(e); err != nil {
		f.problemLocked("%v", err)
		return
	}
	if f.target == nil || f.discarding {
		return
	}
	if err := f.mirror.apply(e); err != nil {
		f.problemLocked("%v", err)
		f.discarding = true
	}
}

// next holds an event against the one before. After an error the track goes on
// from the event.
func (t *track) next(e *event) error {
	version, part, parts := t.version, t.part, t.parts
	known, again := t.changes[e.Change]
	t.version, t.part, t.parts = e.Version, e.Part, e.Parts
	t.changes[e.Change] = e.Version
	switch {
	case e.Part < 1 || e.Part > e.Parts:
		return fmt.Errorf("version %d: part %d of %d: %w", e.Version, e.Part, e.Parts, kaijutsu.ErrInvalid)
	case e.Version == version && e.Part == part+1 && e.Parts == parts && again && known == version:
		return nil
	case e.Version <= version:
		return fmt.Errorf("doubled: version %d, part %d of %d came after version %d, part %d of %d", e.Version, e.Part, e.Parts, version, part, parts)
	case part != parts:
		return fmt.Errorf("missing: after version %d, part %d of %d came version %d", version, part, parts, e.Version)
	case e.Version != version+1 || e.Part != 1:
		return fmt.Errorf("missing: after version %d came version %d, part %d of %d", version, e.Version, e.Part, e.Parts)
	case again:
		return fmt.Errorf("doubled: change %s came with version %d and with version %d", e.Change, known, e.Version)
	}
	return nil
}

// reached reports whether all of a version of a context has come.
func (f *follower) reached(id string, version uint64) (bool, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.tracks[id]
	return t != nil && t.version >= version && t.part == t.parts, f.moved
}

func (f *follower) problem(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.problemLocked(format, args...)
}

func (f *follower) problemLocked(format string, args ...any) {
	if len(f.problems) < maxProblems {
		f.problems = append(f.problems, f.name+": "+fmt.Sprintf(format, args...))
	}
}
