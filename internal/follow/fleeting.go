package follow

import (
	"slices"
	"sort"

	"kaijutsu"
	"kaijutsu/flowbus"
)

// fleetingShare is what part of the ring's bounds fleeting events may take, apart
// from all others: a flood of them pushes nothing out that has to be told.
const fleetingShare = 8

// whose says what a fleeting event is the newest of: somebody's seat, or a task.
type whose struct {
	kind flowbus.Kind
	doc  kaijutsu.DocumentID
	by   kaijutsu.Principal
	a, b string
}

// whoseOf returns what an event is the newest of; the zero value when it is not
// fleeting.
func whoseOf(e *flowbus.Event, doc kaijutsu.DocumentID) whose {
	w := whose{kind: e.Kind, doc: doc, by: e.Principal}
	switch d := e.Data.(type) {
	case *flowbus.Presence:
		w.a, w.b = d.Nick, d.Instance
	case *flowbus.Progress:
		w.a, w.b = d.Token, e.Node
	default:
		return whose{}
	}
	return w
}

// addFleeting puts a fleeting event into its topic in the place of the one
// before it of the same seat or task, and lets the oldest of all go.
func (r *ring) addFleeting(e *entry) {
	t := e.topic
	if old := t.newest[e.whose]; old != nil {
		r.dropFleeting(old)
	}
	if t.newest == nil {
		t.newest = make(map[whose]*entry)
	}
	t.newest[e.whose] = e
	t.fleeting = append(t.fleeting, e)
	r.fleeting = append(r.fleeting, e)
	r.fleetingBytes += len(e.item.Frame)
	for len(r.fleeting) > 1 && (len(r.fleeting) > r.maxEvents/fleetingShare || r.fleetingBytes > r.maxBytes/fleetingShare) {
		r.dropFleeting(r.fleeting[0])
	}
}

func (r *ring) dropFleeting(e *entry) {
	r.fleetingBytes -= len(e.item.Frame)
	r.fleeting = without(r.fleeting, e)
	e.topic.fleeting = without(e.topic.fleeting, e)
	delete(e.topic.newest, e.whose)
}

// without takes an entry out of a list of them.
func without(list []*entry, e *entry) []*entry {
	i := behind(list, e.pos-1)
	if i == 0 { // the oldest mostly goes
		list[0] = nil
		return list[1:]
	}
	return slices.Delete(list, i, i+1)
}

// behind returns the index of the first entry behind a pos.
func behind(list []*entry, pos uint64) int {
	return sort.Search(len(list), func(i int) bool { return list[i].pos > pos })
}

// behindLocked appends what is behind a pos to a list, in order, and returns it
// with the pos of the last; at most most entries, and no more behind size bytes.
func (t *topic) behindLocked(list []*entry, pos uint64, most, size int) ([]*entry, uint64) {
	a, b := t.entries[behind(t.entries, pos):], t.fleeting[behind(t.fleeting, pos):]
	for (len(a) > 0 || len(b) > 0) && len(list) < most && size > 0 {
		from := &a
		if len(a) == 0 || len(b) > 0 && b[0].pos < a[0].pos {
			from = &b
		}
		e := (*from)[0]
		*from = (*from)[1:]
		list, pos = append(list, e), e.pos
		size -= len(e.item.Frame)
	}
	return list, pos
}
