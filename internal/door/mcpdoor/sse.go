package mcpdoor

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"kaijutsu"
)

// maxMessage bounds one message on its way through a bridge, in bytes.
const maxMessage = 64 << 20

// event is one of a stream of server-sent events:
// https://html.spec.whatwg.org/multipage/server-sent-events.html.
type event struct {
	id   string
	data []byte
}

// readEvents passes the events of a stream to f until it ends, or f fails.
// The end of the stream is no error.
func readEvents(r io.Reader, f func(event) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxMessage)
	var e event
	some := false
	for lines.Scan() {
		line := bytes.TrimSuffix(lines.Bytes(), []byte("\r"))
		if len(line) == 0 {
			if some {
				if err := f(e); err != nil {
					return err
				}
			}
			e, some = event{}, false
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "id":
			e.id, some = string(value), true
		case "data":
			if len(e.data) > 0 {
				e.data = append(e.data, '\n')
			}
			if len(e.data)+len(value) > maxMessage {
				return fmt.Errorf("an event of more than %d bytes: %w", maxMessage, kaijutsu.ErrTooLarge)
			}
			e.data, some = append(e.data, value...), true
		}
	}
	return lines.Err()
}
