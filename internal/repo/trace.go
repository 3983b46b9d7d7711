package repo

// beginTrace opens the read model for a batch that somebody follows.
func (d *document) beginTrace(batch []request) {
	if d.failed != nil || d.repo.cfg.Trace == nil {
		return
	}
	for _, r := range batch {
		switch r := r.(type) {
		case receive:
			if len(r.changes) == 0 {
				continue
			}
		case edit, absorb:
		default:
			continue
		}
		d.st.trace = d.repo.cfg.Trace(d.id)
		d.beginModel(d.st)
		return
	}
}

// beginModel opens the read model if changes are to be traced.
func (d *document) beginModel(st *staged) {
	if !st.trace {
		return
	}
	if err := d.openModel(); err != nil {
		d.repo.log.Error("changes are not traced", "document", d.id, "err", err)
	}
}

// tracedBytes bounds the steps of one batch. A change of a few bytes may make
// very many; what is beyond is left to Replay, which makes them in portions.
const tracedBytes = 16 << 20

// traced counts the steps of the change that is staged next, and gives up
// tracing the batch when they and those before them take too much.
func (st *staged) traced(bytes int) bool {
	if st.steps += bytes; st.steps > tracedBytes && len(st.changes) > 0 {
		st.trace = false
		for i := range st.changes {
			st.changes[i] = st.changes[i].Bare()
		}
	}
	return st.trace
}
