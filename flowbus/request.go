package flowbus

import "context"

// Serve answers the questions of other nodes on the subject. f runs on a
// goroutine of its own per question, at most 32 at a time (more are refused
// with ErrUnavailable), and sends its answer as any number of parts, each at
// most MaxMessage; send waits while the asker is behind. ctx ends when the
// asker gave up. An error of f reaches the asker with its text and its
// sentinel. stop ends running answers and does not wait for them.
func (b *Bus) Serve(subject string, f func(ctx context.Context, m Message, send func([]byte) error) error) (stop func(), err error) {
	return nil, errSoon
}

// Ask asks the node that serves the subject and calls f with the parts of the
// answer, in order. It returns nil when the answer was complete. The parts that
// f saw before an error are an incomplete answer. ErrUnavailable: nobody
// serves the subject, or the answer broke off; other errors are those of the
// one who answered, or of f.
func (b *Bus) Ask(ctx context.Context, subject string, data []byte, f func(part []byte) error) error {
	return errSoon
}

// AskAll asks every node that serves the subject and takes the answer of the
// first that sends a part or completes without an error; the others are told to
// stop. It returns the node whose answer f saw. ErrNotFound: all refused
// (wraps one of their errors in text); ErrUnavailable: nobody serves it.
func (b *Bus) AskAll(ctx context.Context, subject string, data []byte, f func(part []byte) error) (node string, err error) {
	return "", errSoon
}
