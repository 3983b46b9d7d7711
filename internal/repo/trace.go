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
