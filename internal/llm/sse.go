package llm

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// The bounds of a stream.
const (
	maxLineBytes  = 1 << 20
	maxEventBytes = 2 << 20
)

var errLongEvent = errors.New("an event without end")

// events reads server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html,
// section 9.2.6. Not safe for concurrent use.
type events struct {
	r      *bufio.Reader
	line   []byte
	data   []byte
	began  bool // the byte order mark is behind us
	skipLF bool // the line ended with a CR: a LF belongs to it
}

func newEvents(r io.Reader) *events { return &events{r: bufio.NewReader(r)} }

// next returns the data of the next event, which is valid until the next call,
// and its type, empty if none was said. What the stream ends in the middle of is
// dropped, as the specification wants; the error is then io.EOF.
func (e *events) next() (kind string, data []byte, err error) {
	e.data = e.data[:0]
	for {
		line, err := e.readLine()
		if err != nil {
			return "", nil, err
		}
		if len(line) == 0 {
			if len(e.data) == 0 {
				kind = ""
				continue
			}
			return kind, e.data[:len(e.data)-1], nil // without its last line feed
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			kind = string(value[:min(len(value), 64)])
		case "data":
			if len(e.data)+len(value) > maxEventBytes {
				return "", nil, errLongEvent
			}
			e.data = append(append(e.data, value...), '\n')
		}
	}
}

// readLine returns a line without its end, which is CR, LF or both. The error is
// io.EOF when the stream ends before the line does.
func (e *events) readLine() ([]byte, error) {
	e.line = e.line[:0]
	for {
		b, err := e.r.ReadByte()
		if err != nil {
			return nil, err
		}
		if b == '\n' && e.skipLF {
			e.skipLF = false
			continue
		}
		e.skipLF = b == '\r'
		if b == '\n' || b == '\r' {
			line := e.line
			if !e.began {
				e.began = true
				line = bytes.TrimPrefix(line, []byte("\ufeff"))
			}
			return line, nil
		}
		if len(e.line) >= maxLineBytes {
			return nil, errLongEvent
		}
		e.line = append(e.line, b)
	}
}
