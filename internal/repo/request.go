package repo

import (
	"time"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/store"
)

// request is something the owner does. Those that only read are deferred to
// the end of a batch, when everything is on disk.
type request interface{ isRequest() }

type (
	receive struct {
		s       *Session
		m       *amfile.SyncMessage // nil: more of the message comes
		changes []*amfile.Change
		wants   bool
		at      time.Time    // when it was handed over; zero when nobody measures
		handled chan<- error // nil: nobody waits
	}
	// join makes a session one of the document's.
	join struct {
		s     *Session
		reply chan<- error
	}
	pull  struct{ s *Session }
	leave struct{ s *Session }
	// review has the sessions ask anew what their peers may do.
	review struct{ reply chan<- error }
	// gather looks at the sessions that waited for more to say.
	gather struct{}
	// trim closes what nobody has used for long.
	trim struct{}
	// call runs f with everything before it on disk.
	call struct {
		f     func(*document) error
		reply chan<- error
	}
	// reopen reads the document from the disk again.
	reopen struct{ reply chan<- error }
	// edit runs f, which stages changes; its reply waits for the disk.
	edit struct {
		f     func(*document, *staged) error
		reply chan<- error
	}
)

func (absorb) isRequest()  {}
func (receive) isRequest() {}
func (join) isRequest()    {}
func (pull) isRequest()    {}
func (review) isRequest()  {}
func (leave) isRequest()   {}
func (gather) isRequest()  {}
func (trim) isRequest()    {}
func (reopen) isRequest()  {}
func (call) isRequest()    {}
func (edit) isRequest()    {}

// staged is what a batch has accepted and not yet committed.
type staged struct {
	from    int            // length of the graph before the batch
	before  kaijutsu.Heads // and its heads
	anchor  kaijutsu.ChangeHash
	changes []Change
	runs    []run // what they are told of in
	actors  []store.Actor
	were    map[kaijutsu.ActorID]signer // those of actors that were others before the batch
	// receivers are the sessions whose sync state this batch moved: it may
	// rest on changes that the disk has yet to take.
	receivers map[*Session]struct{}
	replies   []chan<- error
	handled   []receive // messages whose senders wait
	absorbed  []absorb  // deliveries, likewise
	deltas    []Delta
	all       bool      // deltas are not all
	trace     bool      // changes are traced while the read model is open
	steps     int       // bytes of the steps of the changes
	began     time.Time // when the oldest message was handed over; zero when nobody measures

	at            int      // of the request that is being carried out, or the number of all
	absorbs       []absorb // those of the batch
	absorbedSoFar int      // how many of them are done with

	seq  uint64      // of the first run in the journal, once it is on disk
	base *store.Base // what a document that was made rests on, then
}
