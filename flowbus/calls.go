package flowbus

import (
	"strconv"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
)

const maxCallMessages = 256

// calls are the questions that are under way, on either side: what comes back
// arrives at an inbox of the bus and goes to the call that its last token names.
// One subscription for all means that the servers of a cluster know of it
// before the first question is asked.
type calls struct {
	mu    sync.Mutex
	inbox string
	next  uint64
	open  map[string]chan *nats.Msg
}

func (c *calls) init() {
	c.inbox = nats.NewInbox()
	c.open = map[string]chan *nats.Msg{}
}

// start returns the address of a new call and what comes to it. Messages
// beyond those that wait are dropped: the sender's window is smaller.
func (c *calls) start() (address string, in <-chan *nats.Msg) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	token := strconv.FormatUint(c.next, 36)
	ch := make(chan *nats.Msg, maxCallMessages)
	c.open[token] = ch
	return c.inbox + "." + token, ch
}

func (c *calls) end(address string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, address[len(c.inbox)+1:])
}

// take passes a message on, and reports false when its call is over.
func (c *calls) take(m *nats.Msg) bool {
	token := strings.TrimPrefix(m.Subject, c.inbox+".")
	c.mu.Lock()
	defer c.mu.Unlock()
	ch := c.open[token]
	if ch == nil {
		return false
	}
	select {
	case ch <- m:
	default:
	}
	return true
}

// listen opens the inbox of the calls.
func (b *Bus) listen() error {
	s, err := b.nc.Subscribe(b.calls.inbox+".*", func(m *nats.Msg) {
		if !b.calls.take(m) && m.Reply != "" { // somebody answers a question that is over
			b.nc.PublishMsg(b.word(m.Reply, "stop", 0, nil))
		}
	})
	if err != nil {
		return unavailable("open the inbox", err)
	}
	return s.SetPendingLimits(-1, maxPendingBytes)
}
