package blocks

import "kaijutsu"

// An undo takes no line away from those who wrote it: what it brought back was
// never gone, and what it took back never was.

// undoneElements tells, of the elements of a text or list, which of them undos
// have replaced or made void.
type undoneElements struct {
	p    *pastLines
	back comebacks
	// stood are the operations in whose place stands what brought them back.
	stood map[opID]bool
	names map[int32]map[kaijutsu.ChangeHash]bool // what each undo takes back, by the number of its change
}

func newUndoneElements(p *pastLines, s *sequence) *undoneElements {
	return &undoneElements{
		p: p, back: comebacks{origins: p.origins, s: s},
		stood: make(map[opID]bool), names: make(map[int32]map[kaijutsu.ChangeHash]bool),
	}
}

// undid reports whether an operation is of an undo.
func (u *undoneElements) undid(id opID) bool {
	return holds(u.p.m.undos[id.actor], id.counter)
}

// concerns reports whether elements have to be looked at one by one.
func (u *undoneElements) concerns(e elements) bool {
	return u != nil && (len(u.stood) > 0 || len(u.p.m.undos[e.id.actor]) > 0 || e.gone && len(u.p.m.undos[e.by.actor]) > 0)
}

// look notes what elements stand for that undos brought back.
func (u *undoneElements) look(e elements) error {
	if len(u.p.m.undos[e.id.actor]) == 0 {
		return nil
	}
	for i := range e.n {
		one := e
		if e.run {
			one = e.cut(i, 1)
		}
		if !u.undid(one.id) {
			continue
		}
		if err := u.p.settle(&one); err != nil {
			return err
		}
		void, err := u.void(one)
		if err != nil {
			return err
		}
		for id, hops := one.id, 0; !void && hops <= maxHops; hops++ {
			was, err := u.back.former(id)
			if err != nil {
				return err
			}
			if was == id {
				break
			}
			u.stood[was], id = true, was
		}
	}
	return nil
}

// never reports whether an element counts as if it had never been.
func (u *undoneElements) never(e elements) (bool, error) {
	if u == nil {
		return false, nil
	}
	if u.stood[e.id] {
		return true, nil
	}
	return u.void(e)
}

// void reports whether an element was taken away by an undo of the change that
// wrote it.
func (u *undoneElements) void(e elements) (bool, error) {
	if !e.gone || !u.undid(e.by) {
		return false, nil
	}
	undo, err := u.p.changes.of(e.by)
	if err != nil {
		return false, err
	}
	named := u.names[undo]
	if named == nil {
		c, _, err := u.p.operation(e.by)
		if err != nil {
			return false, err
		}
		named = make(map[kaijutsu.ChangeHash]bool)
		for _, h := range Undone(c.Message) {
			named[h] = true
		}
		u.names[undo] = named
	}
	source, err := u.back.source(e.id, 0)
	if err != nil {
		return false, err
	}
	for _, id := range [...]opID{e.id, source} {
		wrote, err := u.p.changes.of(id)
		if err != nil {
			return false, err
		}
		if named[u.p.log.Hash(u.p.changes.used[wrote].at)] {
			return true, nil
		}
	}
	return false, nil
}
