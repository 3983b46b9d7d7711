package follow

import (
	"time"

	"kaijutsu"
	"kaijutsu/flowbus"
)

// entry is an event in a topic. It is immutable.
type entry struct {
	pos     uint64
	place   // of an event of a document; the zero place of others
	doc     kaijutsu.DocumentID
	subject string
	kind    flowbus.Kind
	bit     uint64 // of the kind
	source  flowbus.Source
	whose   whose // of a fleeting event
	item    Item
	topic   *topic
}

// bitOf is a bit for each kind of events.
var bitOf = func() map[flowbus.Kind]uint64 {
	all := make(map[flowbus.Kind]uint64)
	for i, k := range flowbus.Kinds() {
		all[k] = 1 << i
		if k.Source() == flowbus.FromChanges {
			all[unread] |= 1 << i
		}
	}
	return all
}()

// derived reports whether the entry is of a document.
func (e *entry) derived() bool { return e.source == flowbus.FromChanges }

// ring holds the newest entries of all topics, oldest first. It is guarded by
// Hub.mu.
type ring struct {
	maxEvents, maxBytes int
	entries             []*entry
	bytes               int

	fleeting      []*entry // apart from entries; of each seat the newest
	fleetingBytes int
}

// add appends an entry to the ring and its topic, and lets the oldest go.
func (r *ring) add(e *entry) {
	if e.source == flowbus.Fleeting {
		r.addFleeting(e)
		return
	}
	r.entries = append(r.entries, e)
	e.topic.entries = append(e.topic.entries, e)
	r.bytes += len(e.item.Frame)
	for len(r.entries) > r.maxEvents || r.bytes > r.maxBytes && len(r.entries) > 1 {
		old := r.entries[0]
		r.entries[0] = nil
		r.entries = r.entries[1:]
		r.bytes -= len(old.item.Frame)
		old.topic.dropLocked(old)
	}
}

// forget takes the entries of a topic out of the ring; the topic, which is to
// be used no more, keeps them for those who read it. One that has none, as that
// of a context which there is not, costs nothing: anybody may ask for such.
func (r *ring) forget(t *topic) {
	if len(t.entries) > 0 {
		r.entries = others(r.entries, t, &r.bytes)
	}
	if len(t.fleeting) > 0 {
		r.fleeting = others(r.fleeting, t, &r.fleetingBytes)
	}
}

// others takes the entries of a topic out of a list, and off its bytes.
func others(list []*entry, t *topic, bytes *int) []*entry {
	kept := list[:0]
	for _, e := range list {
		if e.topic == t {
			*bytes -= len(e.item.Frame)
			continue
		}
		kept = append(kept, e)
	}
	clear(list[len(kept):])
	return kept
}

// topic is what is followed: one context, or all. It is guarded by Hub.mu.
type topic struct {
	doc       kaijutsu.DocumentID // zero: all
	followers map[*Follower]struct{}
	idle      time.Time // since when it has had no follower
	docs      bool      // of all contexts: somebody wanted events of documents

	// begun says that the events of documents behind the place start are in it,
	// but for those that left: up to gone. tail is the place of the newest.
	begun             bool
	start, gone, tail place

	entries []*entry // ascending by pos
	base    uint64   // pos of the newest entry that left, or of when it was made
	lost    map[flowbus.Kind]uint64
	ended   error // set once nothing more will come

	fleeting []*entry // apart from entries; ascending by pos
	newest   map[whose]*entry

	woken   time.Time // when its followers were last woken together
	waiting bool      // a timer will wake them

	// ahead are events, by number of the journal, before it is their turn.
	ahead map[uint64][]event
	early []noted // what came before the topic had begun; the deriving goroutine's
}

func newTopic(doc kaijutsu.DocumentID, pos uint64) *topic {
	return &topic{doc: doc, base: pos, followers: make(map[*Follower]struct{}), lost: make(map[flowbus.Kind]uint64)}
}

// wide reports whether the topic is of all contexts.
func (t *topic) wide() bool { return t.doc.IsZero() }

// letter is what its marks carry.
func (t *topic) letter() byte {
	if t.wide() {
		return letterWide
	}
	return letterContext
}

// dropLocked notes that the oldest entry has left.
func (t *topic) dropLocked(e *entry) {
	t.entries[0] = nil
	t.entries = t.entries[1:]
	t.base = e.pos
	switch e.source {
	case flowbus.FromChanges:
		t.gone = e.place
	default:
		t.lost[e.kind] = e.pos
	}
}

// firstLocked returns the place of the oldest event of a document in it, and
// that of the newest one there ever was when there is none.
func (t *topic) firstLocked() place {
	for _, e := range t.entries {
		if e.derived() {
			return e.place
		}
	}
	return t.tail
}

// endLocked ends every stream of the topic, at once.
func (t *topic) endLocked(err error) {
	if t.ended == nil {
		t.ended = err
	}
	t.wakeAll()
}
