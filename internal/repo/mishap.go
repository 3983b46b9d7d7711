package repo

import (
	"fmt"
	"time"

	"kaijutsu"
	"kaijutsu/internal/changegraph"
	"kaijutsu/internal/guard"
)

// maxAttempts bounds how often the rest of one batch is tried again.
const maxAttempts = 64

// handle carries out a batch. When something in it fails, that is refused, the
// document is read from the disk anew, and the rest of the batch is tried again:
// nobody else notices more than a pause.
func (d *document) handle(batch []request) {
	batch = d.need(batch)
	for _, r := range batch {
		switch r := r.(type) {
		case receive:
			<-r.s.turns
		case reopen:
			d.again()
			r.reply <- d.failed
		}
	}
	d.mark(batch)
	defer d.unmark()
	defer d.task.end()
	for n := 0; len(batch) > 0; n++ {
		if n == maxAttempts {
			panic(fmt.Sprintf("a batch failed %d times", n))
		}
		if batch = d.attempt(batch); d.stopped() {
			return // what was not answered ends with ErrClosed
		}
	}
}

// attempt carries out a batch, or what can be, and returns the rest.
func (d *document) attempt(batch []request) (rest []request) {
	st := &staged{from: d.graph.Len(), before: d.graph.Heads(), receivers: make(map[*Session]struct{})}
	d.st = st
	defer func() { d.st = nil }() // it holds what was brought, decoded
	err := d.repo.guarded(d.id, "changes", func() error { d.change(batch, st); return nil })
	if d.task.givenUp() {
		panic(errGivenUp)
	}
	if failed, ok := err.(*guard.Failure); ok {
		return d.recover(failed, batch, st)
	}
	if d.stopped() {
		return nil
	}
	for _, r := range st.handled {
		if r.s.broken {
			r.handled <- ErrRefused
		} else {
			r.handled <- nil
		}
	}
	for _, r := range batch {
		d.read(r)
	}
	d.speak()
	return nil
}

// change carries out what changes the document, and commits it.
func (d *document) change(batch []request, st *staged) {
	d.around = unit{what: onMessage}
	d.task.begin(d.around)
	d.beginTrace(batch)
	for i, r := range batch {
		if d.stopped() {
			return // nothing of the batch was answered: all of it ends with ErrClosed
		}
		st.at = i
		switch r := r.(type) {
		case receive:
			d.around = unit{what: onMessage, by: r.s.who.Principal}
			d.task.begin(d.around)
			d.receive(r, st)
			if r.handled != nil {
				st.handled = append(st.handled, r)
			}
		case edit:
			d.around = unit{what: onEdit}
			d.task.begin(d.around)
			d.edit(r, st)
		case absorb:
			st.absorbs = append(st.absorbs, r) // behind the rest: what is local and what is not is told apart
		case leave:
			d.leave(r.s)
		case trim:
			d.trim()
		}
	}
	st.at = len(batch)
	d.around = unit{what: onMessage}
	for _, r := range st.absorbs {
		d.task.begin(d.around)
		d.absorb(r, st)
		st.absorbedSoFar++
	}
	d.commit(st)
}

// read answers a request that reads what is on disk. One that fails is told so,
// and the document is read anew: what failed may have left it half changed.
func (d *document) read(r request) {
	var err error
	switch r := r.(type) {
	case pull:
		out, _ := d.compose(r.s)
		r.s.reply <- out
	case gather:
		d.gathered()
	case join:
		if d.failed == nil {
			d.sessions[r.s] = struct{}{}
		}
		r.reply <- d.failed
	case review:
		for s := range d.sessions {
			s.who.Notify()
		}
		r.reply <- nil
	case call:
		if d.failed != nil {
			r.reply <- d.failed
			return
		}
		d.task.begin(unit{what: onRead})
		err = d.repo.guarded(d.id, "read", func() error { return r.f(d) })
		d.failing(err)
		r.reply <- d.explain(err)
	}
}

// failing reports whether an error is a failure; the document is read anew then.
func (d *document) failing(err error) bool {
	failed, ok := err.(*guard.Failure)
	if ok {
		d.blame(failed)
		d.again()
	}
	return ok
}

// recover takes back a batch of which something failed, before any of it was on
// disk: what did it is refused, and the rest returned, to be tried again.
func (d *document) recover(failed *guard.Failure, batch []request, st *staged) (rest []request) {
	at := d.task.now()
	pinned := d.blame(failed)
	d.again()
	err := d.explain(failed)
	for _, reply := range st.replies {
		reply <- err
	}
	for i, r := range batch {
		switch r := r.(type) {
		case receive:
			if i == st.at && !pinned && at.what == onMessage { // it is not for a change that it failed
				if !r.s.broken {
					d.refuse(r.s, failed)
				}
				if r.handled != nil {
					r.handled <- ErrRefused
				}
				continue
			}
			rest = append(rest, r)
		case edit:
			switch {
			case i == st.at:
				r.reply <- err
			case i > st.at:
				rest = append(rest, r)
			}
		case absorb:
			if st.at == len(batch) && st.lost(r, pinned) {
				r.reply <- err
			} else if st.at < len(batch) || !st.answered(r) {
				rest = append(rest, r)
			}
		case leave, trim:
			if i > st.at {
				rest = append(rest, r)
			}
		default:
			rest = append(rest, r)
		}
	}
	return rest
}

// lost reports whether a delivery is the one that failed, and not for a change
// that is refused from now on.
func (st *staged) lost(a absorb, pinned bool) bool {
	return !pinned && st.absorbedSoFar < len(st.absorbs) && st.absorbs[st.absorbedSoFar].reply == a.reply
}

// answered reports whether a delivery has its answer.
func (st *staged) answered(a absorb) bool {
	for k, tried := range st.absorbs[:min(st.absorbedSoFar, len(st.absorbs))] {
		if tried.reply != a.reply {
			continue
		}
		for _, waits := range st.absorbed {
			if waits.reply == st.absorbs[k].reply {
				return false
			}
		}
		return true
	}
	return false
}

// blame finds out what failed. A change is put into quarantine, and it says so;
// when it is on disk the document becomes read-only.
func (d *document) blame(failed *guard.Failure) (pinned bool) {
	at := d.task.now()
	kind, why := kindOf(failed)
	switch at.what {
	case onChange:
		d.repo.pin(d.repo.life, d.id, at, kind, why, false)
		d.notePin(at.by, kind, why)
		return true
	case onModel:
		d.repo.pin(d.repo.life, d.id, at, kind, why, true)
		return true
	}
	return false
}

// explain says of a failure what whoever asked can do about it.
func (d *document) explain(err error) error {
	failed, ok := err.(*guard.Failure)
	switch {
	case !ok:
		return err
	case d.readOnly != nil:
		return d.readOnly
	}
	_, why := kindOf(failed)
	return fmt.Errorf("document %s: %s; the log says where, kj doctor what to do: %w", d.id, why, kaijutsu.ErrUnavailable)
}

// again reads the document from the disk, in the place of what failed. Sessions
// and watches go on.
func (d *document) again() {
	if err := d.reopen(); err != nil {
		d.repo.log.Error("document cannot be opened again", "document", d.id, "err", err)
	}
	for w := range d.watches {
		w.stir()
	}
	for s := range d.sessions {
		s.who.Notify()
	}
}

// reopen is open of a document that is open.
func (d *document) reopen() error {
	if d.cover != nil {
		d.uncover()
		return d.failed
	}
	old := d.graph
	d.blank()
	d.open()
	d.graph.Succeed(old)
	for s := range d.sessions {
		s.state.Forgive()
	}
	d.headsAt = d.repo.cfg.Now()
	return d.failed
}

// blank empties the document.
func (d *document) blank() {
	d.failed, d.readOnly = nil, nil
	d.graph = changegraph.New()
	d.hooks(d.graph)
	d.actors = make(map[kaijutsu.ActorID]signer)
	d.base, d.newBase, d.baseActors, d.before, d.depth = nil, nil, nil, 0, 0
	d.covered, d.coveredBytes, d.tailBytes = 0, 0, 0
	d.model, d.pasts = nil, nil
	d.decodedKept.clear()
	clear(d.editActors) // their numbers may have got to the disk
}

// pinsKept and pinsWithin say when it is not the changes that are at fault.
const (
	pinsKept   = 3
	pinsWithin = 10 * time.Minute
)

// pinned is a change that was put into quarantine.
type pinned struct {
	by kaijutsu.Principal
	at time.Time
}

// notePin counts the changes of the document that were put into quarantine.
// When several people's fail one after the other, it is rather what is on disk:
// the document becomes read-only, before everybody's changes are refused.
func (d *document) notePin(by kaijutsu.Principal, kind, why string) {
	now := d.repo.cfg.Now()
	d.pins = append(d.pins, pinned{by, now})
	if len(d.pins) < pinsKept {
		return
	}
	d.pins = d.pins[len(d.pins)-pinsKept:]
	people := make(map[kaijutsu.Principal]bool)
	for _, p := range d.pins {
		people[p.by] = true
	}
	if len(people) < 2 || now.Sub(d.pins[0].at) > pinsWithin {
		return
	}
	d.pins = nil
	why = fmt.Sprintf("changes of %d principals failed one after the other, the last so: %s", len(people), why)
	d.repo.pin(d.repo.life, d.id, unit{}, kind, why, true)
}
