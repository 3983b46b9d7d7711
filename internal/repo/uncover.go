package repo

import (
	"context"

	"kaijutsu/internal/guard"
)

// longOpening is the number of changes from which a document is taken apart
// beside its owner, who goes on to serve what the cover serves.
const longOpening = 2000

// opened is a request: the document was taken apart beside the owner, or could
// not be.
type opened struct {
	f   *filling
	err error
}

func (opened) isRequest() {}

// need returns what of a batch can be carried out now. When something asks for
// more than the cover has, the document is opened; if that takes long, what has to
// wait for it is parked, and so is what comes from the same session behind it.
func (d *document) need(batch []request) []request {
	if d.cover == nil {
		return batch
	}
	var now []request
	for i, r := range batch {
		if o, is := r.(opened); is {
			d.reveal(o)
			return append(append(now, d.unpark()...), batch[i+1:]...)
		}
		if d.cover.serves(r) {
			now = append(now, r)
			continue
		}
		if !d.openBeside() {
			d.uncover()
			return append(append(now, d.unpark()...), batch[i:]...)
		}
		switch r := r.(type) {
		case receive:
			r.s.parked = true
		case leave:
			r.s.parked = true
		}
		d.cover.parked = append(d.cover.parked, r)
	}
	return now
}

// unpark returns what has waited until the document is open.
func (d *document) unpark() []request {
	parked := d.parked
	d.parked = nil
	return parked
}

// openBeside has the document taken apart beside the owner; false when that is
// not worth it.
func (d *document) openBeside() bool {
	c, r := d.cover, d.repo
	if c.opening {
		return true
	}
	if c.changes < longOpening {
		return false
	}
	c.opening = r.run(guard.Func(r.log, "opening", func() {
		var f *filling
		err := r.job(d.id, unit{what: onOpening}, func(t *task) (err error) {
			f, err = r.fill(d.id, &t.stop, r.quit)
			return err
		})
		_ = d.send(context.Background(), opened{f, err}) // closed: nobody waits
	}))
	return c.opening
}

// reveal makes what was taken apart the document's. When that failed, the owner
// opens it, and finds out what there is to say.
func (d *document) reveal(o opened) {
	if o.err != nil {
		d.uncover()
		return
	}
	d.task.begin(unit{what: onOpening})
	d.parked, d.cover = append(d.parked, d.cover.parked...), nil
	d.take(o.f)
	d.checkReadOnly()
	d.measure()
	d.play()
}
