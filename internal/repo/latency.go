package repo

import "time"

// Batch is what was made durable at once of a document, for who measures it.
type Batch struct {
	// Began is when the oldest message in it was handed over, on the real
	// clock; zero when no editor's message was in it.
	Began time.Time
	// Took is from Began to its being on disk, when it may be acknowledged.
	Took time.Duration
	// Changes and Bytes are what is in it; Remote says that some came from
	// other nodes.
	Changes, Bytes int
	Remote         bool
}

// handed returns the time that a message with so many changes is handed over,
// zero when nobody measures or it has none.
func (s *Session) handed(changes int) time.Time {
	if s.doc.repo.cfg.Took == nil || changes == 0 {
		return time.Time{}
	}
	return time.Now()
}

// since notes when a message of the batch was handed over.
func (st *staged) since(at time.Time) {
	if !at.IsZero() && (st.began.IsZero() || at.Before(st.began)) {
		st.began = at
	}
}

// measured tells how long a batch took that is on disk now.
func (d *document) measured(st *staged) {
	told := d.repo.cfg.Took
	if told == nil {
		return
	}
	b := Batch{Began: st.began, Changes: len(st.changes)}
	if !b.Began.IsZero() {
		b.Took = time.Since(b.Began)
	}
	for _, c := range st.changes {
		b.Bytes += len(c.Raw)
	}
	for _, r := range st.runs {
		b.Remote = b.Remote || r.remote
	}
	told(b)
}
