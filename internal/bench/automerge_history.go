package bench

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
)

// encoding is a history as changes of a context.
type encoding struct {
	raw  [][]byte // the changes, in order
	head kaijutsu.ChangeHash
	max  uint64          // the counter of the last operation
	text amfile.GlobalID // the first text

	saveOnce sync.Once
	saved    int64
	saveErr  error
}

// encodings remembers encodings by the name of their history, and which
// documents were made of which. It is safe for concurrent use.
type encodings struct {
	mu   sync.Mutex
	all  map[string]*encoding  // guarded by mu
	docs map[docName]*encoding // guarded by mu
	seen map[docName]*decoded  // guarded by mu: by clients that had nothing
}

// encoded is what this process has encoded: a history is the same for each server.
var encoded = encodings{all: make(map[string]*encoding), docs: make(map[docName]*encoding), seen: make(map[docName]*decoded)}

// make returns the encoding of a history, of which the document is made from now on.
func (e *encodings) make(doc docName, h history) (*encoding, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	known := e.all[h.name]
	if known == nil {
		var err error
		if known, err = encodeHistory(h); err != nil {
			return nil, fmt.Errorf("encode the history %q: %w", h.name, err)
		}
		e.all[h.name] = known
	}
	e.docs[doc] = known
	return known, nil
}

// of returns what a document was made of.
func (e *encodings) of(doc docName) (*encoding, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	known := e.docs[doc]
	if known == nil {
		return nil, fmt.Errorf("document %s was not made by this load generator: %w", doc, kaijutsu.ErrNotFound)
	}
	return known, nil
}

// decodedOf returns what clients of a document share.
func (e *encodings) decodedOf(doc docName) *decoded {
	e.mu.Lock()
	defer e.mu.Unlock()
	d := e.seen[doc]
	if d == nil {
		d = &decoded{}
		e.seen[doc] = d
	}
	return d
}

// forget drops what clients of a document share.
func (e *encodings) forget(doc docName) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.seen, doc)
}

// size returns how many bytes the document takes that holds the changes.
func (e *encoding) size() (int64, error) {
	e.saveOnce.Do(func() {
		changes := make([]*amfile.Change, len(e.raw))
		for i, raw := range e.raw {
			if changes[i], e.saveErr = amfile.DecodeChange(raw); e.saveErr != nil {
				return
			}
		}
		var b []byte
		b, e.saveErr = amfile.EncodeDocument(changes)
		e.saved = int64(len(b))
	})
	return e.saved, e.saveErr
}

// historyWriter is the one who made a history.
const historyWriter kaijutsu.ActorID = "bench-the-writer"

// historyEncoder makes changes of steps.
type historyEncoder struct {
	encoding
	genesis *amfile.Change
	seq     uint64
	texts   []uint64 // counters of the text objects
	chars   []uint64 // counters of the characters, by number
	now     int64    // Unix seconds
}

func encodeHistory(h history) (*encoding, error) {
	g := blocks.Genesis()
	e := &historyEncoder{genesis: g, now: time.Now().Unix()}
	e.raw, e.head, e.max = [][]byte{g.Raw}, g.Hash, g.MaxOp()
	if err := e.newText(""); err != nil {
		return nil, err
	}
	e.encoding.text = amfile.GlobalID{Counter: e.texts[0], Actor: historyWriter}
	for s := range h.all() {
		var err error
		switch {
		case s.text == len(e.texts):
			err = e.newText(s.insert)
		case s.insert != "":
			err = e.insert(s)
		default:
			err = e.remove(s)
		}
		if err != nil {
			return nil, err
		}
	}
	return &encoding{raw: slices.Clip(e.raw), head: e.head, max: e.max, text: e.encoding.text}, nil
}

func (e *historyEncoder) newText(text string) error {
	c, object, err := newBlock(e.genesis, []kaijutsu.ChangeHash{e.head}, historyWriter, e.seq+1, e.max+1, len(e.texts), text)
	if err != nil {
		return err
	}
	e.texts = append(e.texts, object.Counter)
	next := object.Counter
	for range text {
		next++
		e.chars = append(e.chars, next)
	}
	e.add(c)
	return nil
}

// counter returns the counter of a numbered character, 0 for the beginning.
func (e *historyEncoder) counter(n int) uint64 {
	if n < 0 {
		return 0
	}
	return e.chars[n]
}

func (e *historyEncoder) insert(s step) error {
	c := e.next()
	after := e.counter(s.after)
	for _, char := range s.insert {
		c.Ops = append(c.Ops, amfile.Op{
			Action: amfile.Put, Obj: amfile.OpID{Counter: e.texts[s.text]}, Seq: true,
			Elem: amfile.OpID{Counter: after}, Insert: true, Value: amfile.StringValue(string(char)),
		})
		after = c.StartOp + uint64(len(c.Ops)) - 1
		e.chars = append(e.chars, after)
	}
	return e.finish(c)
}

func (e *historyEncoder) remove(s step) error {
	c := e.next()
	char := amfile.OpID{Counter: e.counter(s.remove)}
	c.Ops = []amfile.Op{{Action: amfile.Delete, Obj: amfile.OpID{Counter: e.texts[s.text]}, Seq: true, Elem: char, Pred: []amfile.OpID{char}}}
	return e.finish(c)
}

func (e *historyEncoder) next() *amfile.Change {
	return &amfile.Change{
		Deps: []kaijutsu.ChangeHash{e.head}, Actors: []kaijutsu.ActorID{historyWriter},
		Seq: e.seq + 1, StartOp: e.max + 1, Time: e.now,
	}
}

func (e *historyEncoder) finish(c *amfile.Change) error {
	if err := amfile.EncodeChange(c); err != nil {
		return err
	}
	e.add(c)
	return nil
}

func (e *historyEncoder) add(c *amfile.Change) {
	e.raw, e.head, e.max, e.seq = append(e.raw, c.Raw), c.Hash, c.MaxOp(), c.Seq
}
