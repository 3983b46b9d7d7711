package flowbus

// Publish sends data to whoever listens now, at most once, and returns at
// once: ErrUnavailable when NATS is away or takes nothing, ErrTooLarge beyond
// MaxMessage, ErrInvalid when the subject (below kj.<kernel>.) is not one.
// data must not be changed afterwards.
func (b *Bus) Publish(subject string, data []byte) error { return errSoon }

// Subscribe has f called, one message at a time and in order, with what other
// nodes publish on the subject, which may hold '*' and '>'. Own messages are
// not delivered.
//
// lost is called between calls of f: with the number of messages that were
// dropped because f was too slow, or with 0 when the connection was away and
// nobody knows how many there were. stop does not wait for a running f.
func (b *Bus) Subscribe(subject string, f func(Message), lost func(n int)) (stop func(), err error) {
	return nil, errSoon
}
