package changegraph

import "slices"

// sentCache keeps the last encoded messages, for the next peers in the same
// position. A message depends on the log alone, so its length says which log.
type sentCache struct {
	entries [4]sentMessage
	next    int
	bytes   int
}

type sentMessage struct {
	length int // of the log
	send   spans
	whole  bool // carries the whole document
	data   []byte
}

func (c *sentCache) find(length int, send spans, whole bool) ([]byte, bool) {
	for i := range c.entries {
		e := &c.entries[i]
		if e.data != nil && e.length == length && e.whole == whole && (whole || slices.Equal(e.send, send)) {
			return e.data, true
		}
	}
	return nil, false
}

func (c *sentCache) put(length int, send spans, whole bool, data []byte) {
	if len(data) > maxSentBytes {
		return
	}
	for i := range c.entries { // what was encoded for a shorter log will not be asked for again
		if e := &c.entries[i]; e.length != length {
			c.bytes -= len(e.data)
			*e = sentMessage{}
		}
	}
	e := &c.entries[c.next]
	c.bytes += len(data) - len(e.data)
	*e = sentMessage{length, send, whole, data}
	c.next = (c.next + 1) % len(c.entries)
}

// DropSent forgets the encoded messages that are kept for the next peers.
func (g *Graph) DropSent() { g.sent.clear() }

func (c *sentCache) clear() { *c = sentCache{} }
