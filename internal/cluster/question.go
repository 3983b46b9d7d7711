package cluster

import (
	"kaijutsu"
)

// encodeWho asks whether a node has a document.
func encodeWho(doc kaijutsu.DocumentID) []byte {
	w := writer{}
	w.byte(kindWho)
	w.doc(doc)
	return w.b
}

func decodeWho(data []byte) (kaijutsu.DocumentID, error) {
	r := reader{b: data}
	if r.byte() != kindWho {
		r.fail("it asks for no document")
	}
	doc := r.doc()
	return doc, named("question", r.done())
}

// has answers who.
type has struct {
	node    string
	changes uint64
}

func (h has) encode() []byte {
	w := writer{}
	w.byte(kindHas)
	w.text(h.node)
	w.uint(h.changes)
	return w.b
}

func decodeHas(data []byte) (has, error) {
	r := reader{b: data}
	if r.byte() != kindHas {
		r.fail("it is no answer")
	}
	h := has{node: string(r.bytes(maxNode)), changes: r.uint(maxCounter)}
	if h.node == "" || h.changes == 0 {
		r.fail("it names no node or no changes")
	}
	return h, named("answer", r.done())
}

// wanted is a document, and what of it the asker has: its heads, and some older
// changes for one who does not know those.
type wanted struct {
	doc  kaijutsu.DocumentID
	have kaijutsu.Heads
	// whole asks for a fork with what it rests on.
	whole bool
}

func encodeSince(docs []wanted) []byte {
	w := writer{}
	w.byte(kindSince)
	w.uint(uint64(len(docs)))
	for _, d := range docs {
		w.doc(d.doc)
		if d.whole {
			w.byte(1)
		} else {
			w.byte(0)
		}
		w.hashes(d.have)
	}
	return w.b
}

func decodeSince(data []byte) ([]wanted, error) {
	r := reader{b: data}
	if r.byte() != kindSince {
		r.fail("it asks for no changes")
	}
	n := int(r.uint(maxAskDocs))
	var docs []wanted
	for range n {
		d := wanted{doc: r.doc()}
		flag := r.byte()
		if flag > 1 {
			r.fail("a flag is %d", flag)
		}
		d.whole, d.have = flag == 1, r.heads(maxHave)
		if r.err != nil {
			break
		}
		docs = append(docs, d)
	}
	if err := r.done(); err != nil {
		return nil, named("question", err)
	}
	return docs, nil
}

// end says how the answer for one document ends.
type end struct {
	doc   kaijutsu.DocumentID
	state byte
}

// The ends of an answer.
const (
	endWhole       = 0 // there is nothing more
	endUnknown     = 1 // the document is not there
	endUnavailable = 2 // it cannot be read now
)

func (e end) encode() []byte {
	w := writer{}
	w.byte(kindEnd)
	w.doc(e.doc)
	w.byte(e.state)
	return w.b
}

func decodeEnd(data []byte) (end, error) {
	r := reader{b: data}
	if r.byte() != kindEnd {
		r.fail("it is no end")
	}
	e := end{doc: r.doc(), state: r.byte()}
	if e.state > endUnavailable {
		r.fail("an end is of kind %d", e.state)
	}
	return e, named("end", r.done())
}

// which is a set of buckets.
type which [buckets / 8]byte

func (w *which) set(i int) { w[i/8] |= 1 << (i % 8) }

func (w *which) has(i int) bool { return w[i/8]&(1<<(i%8)) != 0 }

func (w *which) empty() bool { return *w == which{} }

func encodeList(of which) []byte {
	w := writer{}
	w.byte(kindList)
	w.b = append(w.b, of[:]...)
	return w.b
}

func decodeList(data []byte) (of which, err error) {
	r := reader{b: data}
	if r.byte() != kindList {
		r.fail("it asks for no buckets")
	}
	copy(of[:], r.fixed(len(of)))
	return of, named("question", r.done())
}

// listed is a document and its heads.
type listed struct {
	doc   kaijutsu.DocumentID
	heads kaijutsu.Heads
}

func encodeListed(docs []listed) []byte {
	w := writer{b: make([]byte, 0, 64*len(docs)+8)}
	w.byte(kindListed)
	w.uint(uint64(len(docs)))
	for _, d := range docs {
		w.doc(d.doc)
		w.hashes(d.heads)
	}
	return w.b
}

func decodeListed(data []byte) ([]listed, error) {
	r := reader{b: data}
	if r.byte() != kindListed {
		r.fail("it is no list")
	}
	n := int(r.uint(maxListed))
	var docs []listed
	for range n {
		d := listed{doc: r.doc(), heads: r.heads(maxHeads)}
		if len(d.heads) == 0 {
			r.fail("a document has no heads")
		}
		if r.err != nil {
			break
		}
		docs = append(docs, d)
	}
	if err := r.done(); err != nil {
		return nil, named("list", err)
	}
	return docs, nil
}
