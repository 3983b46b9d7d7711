package blocks

import "slices"

// object is a map, text or list of the document that the schema has a place
// for. The model keeps those that are visible in their place, or may be: an
// object that was superseded never comes back.
type object interface{ isObject() }

// pagesMap is what ROOT.pages holds. Two clients that each make one make two;
// one of them shows.
type pagesMap struct {
	id    opID
	pages [pageCount][]slot[*pageMap] // nil for what is no map
}

// pageMap is one page: a map of blocks by id.
type pageMap struct {
	id     opID
	number uint8
	owner  *pagesMap
	blocks map[ID]*blockMap // the one that wins; the others behind it
}

// blockMap is one block. The caches are filled when a change is settled.
type blockMap struct {
	id      opID
	key     ID
	page    *pageMap
	next    *blockMap // another block of the same id, made at the same time, that loses
	created int64     // Unix seconds
	scalar  bool      // what was put there is no map: there is no block
	deleted bool      // cache
	parent  ID        // cache
	order   string    // cache
	fields  []entry
}

func (*pagesMap) isObject() {}
func (*pageMap) isObject()  {}
func (*blockMap) isObject() {}
func (*sequence) isObject() {}

// put adds a visible block under its key.
func (p *pageMap) put(m *Model, b *blockMap) {
	if p.blocks == nil {
		p.blocks = make(map[ID]*blockMap)
	}
	head := p.blocks[b.key]
	if head != nil {
		m.lost[b.key] = true
	}
	if head == nil || m.less(head.id, b.id) {
		b.next = head
		p.blocks[b.key] = b
	} else {
		at := head
		for at.next != nil && m.less(b.id, at.next.id) {
			at = at.next
		}
		b.next, at.next = at.next, b
	}
	if !b.scalar {
		m.objects[b.id] = b
	}
	m.size += blockBytes
}

// supersede takes out the blocks of a key that preds name.
func (p *pageMap) supersede(m *Model, key ID, preds []opID) {
	var kept, last *blockMap
	for b := p.blocks[key]; b != nil; b = b.next {
		switch {
		case slices.Contains(preds, b.id):
			m.forgetBlock(b)
		case last == nil:
			kept, last = b, b
		default:
			last.next, last = b, b
		}
	}
	if last == nil {
		delete(p.blocks, key)
		return
	}
	last.next = nil
	p.blocks[key] = kept
}

// shownPage returns the page of this number that shows, nil if there is none.
func (m *Model) shownPage(number uint8) *pageMap {
	p := winner(m.pages)
	if p == nil {
		return nil
	}
	return winner(p.pages[number])
}

// showsPage reports whether a page is the one that shows.
func (m *Model) showsPage(p *pageMap) bool { return m.shownPage(p.number) == p }

// shows reports whether a block is the one that shows under its id.
func (m *Model) shows(b *blockMap) bool { return m.showsPage(b.page) && b.page.blocks[b.key] == b }

// showsOrDid reports whether a block shows under its id, or did before the
// change at hand: it may do so again when that is over.
func (m *Model) showsOrDid(b *blockMap) bool { return m.shows(b) || m.blocks[b.key] == b }

// forgetPages, forgetPage, forgetBlock and forgetSequence let go of what was
// superseded. Operations on it that still arrive change nothing that shows.
func (m *Model) forgetPages(p *pagesMap) {
	if p == nil {
		return
	}
	delete(m.objects, p.id)
	for _, slots := range p.pages {
		for _, s := range slots {
			m.forgetPage(s.value)
		}
	}
}

func (m *Model) forgetPage(p *pageMap) {
	if p == nil {
		return
	}
	delete(m.objects, p.id)
	m.size -= pageBytes
	for _, b := range p.blocks {
		for ; b != nil; b = b.next {
			m.forgetBlock(b)
		}
	}
}

func (m *Model) forgetBlock(b *blockMap) {
	m.lose(b)
	delete(m.objects, b.id)
	m.size -= blockBytes
	for _, e := range b.fields {
		m.size -= entryBytes + int64(len(e.str))
		m.forgetSequence(e.seq)
	}
}

func (m *Model) forgetSequence(s *sequence) {
	if s == nil {
		return
	}
	delete(m.objects, s.id)
	m.size -= sequenceBytes + s.size
	for _, entries := range s.special {
		for _, e := range entries {
			m.forgetSequence(e.seq)
		}
	}
}
