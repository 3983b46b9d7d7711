package cluster

import (
	"encoding/binary"
	"fmt"

	"kaijutsu"
)

// notice says that a node has changes of a document that are too large for a
// message. Who wants them asks the node.
type notice struct {
	doc   kaijutsu.DocumentID
	heads kaijutsu.Heads
	node  string
}

func (n notice) encode() []byte {
	w := writer{}
	w.byte(kindNotice)
	w.doc(n.doc)
	w.hashes(n.heads)
	w.text(n.node)
	return w.b
}

func decodeNotice(data []byte) (notice, error) {
	r := reader{b: data}
	if r.byte() != kindNotice {
		r.fail("it is no notice")
	}
	n := notice{doc: r.doc(), heads: r.heads(maxHeads), node: string(r.bytes(maxNode))}
	if len(n.heads) == 0 || n.node == "" {
		r.fail("it names no heads or no node")
	}
	return n, named("notice", r.done())
}

// announce tells what a node holds.
type announce struct {
	sums [buckets]uint64
	// asks says that the others are to announce themselves at once.
	asks bool
}

func (a *announce) encode() []byte {
	w := writer{b: make([]byte, 0, 8*buckets+2)}
	w.byte(kindAnnounce)
	if a.asks {
		w.byte(1)
	} else {
		w.byte(0)
	}
	for _, sum := range a.sums {
		w.b = binary.BigEndian.AppendUint64(w.b, sum)
	}
	return w.b
}

func decodeAnnounce(data []byte) (*announce, error) {
	r := reader{b: data}
	if r.byte() != kindAnnounce {
		r.fail("it is no announcement")
	}
	flag := r.byte()
	if flag > 1 {
		r.fail("a flag is %d", flag)
	}
	a := &announce{asks: flag == 1}
	raw := r.fixed(8 * buckets)
	if err := r.done(); err != nil {
		return nil, named("announcement", err)
	}
	for i := range a.sums {
		a.sums[i] = binary.BigEndian.Uint64(raw[8*i:])
	}
	return a, nil
}

// kindOf returns what a message is, 0 when it is empty.
func kindOf(data []byte) byte {
	if len(data) == 0 {
		return 0
	}
	return data[0]
}

// named says in an error what it is about.
func named(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
