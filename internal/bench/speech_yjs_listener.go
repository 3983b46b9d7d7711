package bench

import (
	"bytes"
	"time"

	"kaijutsu/internal/kjproc"
)

// yjsEars are the listeners of one maker: a server of Yjs sends each of them the
// same bytes, so that what they say is read once.
type yjsEars struct {
	y       *yjs
	framing yjsFraming
	journal *journal
	units   uint64 // of yjsSeeder, in the whole document

	heard  []byte // the message heard last, or its beginning
	size   int    // its length
	said   yjsMessage
	ranges []yjsRange
}

// listeners implements speech.
func (y *yjs) listeners(p *kjproc.Process, doc docName, j *journal) (string, func() listener) {
	if doc == "" {
		return "", nil // a connection is for a document
	}
	ears := &yjsEars{y: y, framing: y.framing(doc), journal: j, units: y.of(doc).units}
	return ears.framing.url(p), func() listener { return &yjsListener{ears: ears} }
}

// read reads a message that may be the one before. One that was cut brings the
// document.
func (e *yjsEars) read(message []byte, size int) (err error) {
	if size == e.size && bytes.Equal(message, e.heard) {
		return nil
	}
	e.heard, e.size, e.ranges = append(e.heard[:0], message...), size, nil
	e.said, err = e.framing.read(e.heard, size)
	switch {
	case err != nil || !e.said.brings():
	case e.said.cut:
		e.ranges = []yjsRange{{yjsSeeder, yjsSpan{0, e.units}}}
	default:
		e.ranges, err = readYjsUpdate(e.said.payload)
	}
	if err != nil {
		e.size = 0
	}
	return err
}

// yjsListener implements listener.
type yjsListener struct {
	ears   *yjsEars
	synced bool   // a second step came
	units  uint64 // of yjsSeeder that are there
}

func (l *yjsListener) greet() [][]byte { return [][]byte{l.ears.framing.greeting()} }

func (l *yjsListener) hear(message []byte, size int, at time.Time) ([][]byte, error) {
	if err := l.ears.read(message, size); err != nil {
		return nil, err
	}
	m := l.ears.said
	if m.kind == yjsSync && m.step == yjsStep2 {
		l.synced = true
	}
	for _, r := range l.ears.ranges {
		if r.client == yjsSeeder {
			l.units = max(l.units, r.to)
		}
	}
	l.ears.y.tell(l.ears.journal, l.ears.ranges, at)
	if answer := l.ears.framing.answer(m); answer != nil {
		return [][]byte{answer}, nil
	}
	return nil, nil
}

func (l *yjsListener) ready() bool { return l.synced && l.units >= l.ears.units }
