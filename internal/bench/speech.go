package bench

import (
	"context"
	"time"

	"kaijutsu/internal/kjproc"
)

// docName names a document to any contestant: an id as automerge-repo writes
// them, which servers of Yjs take as the name of a room.
type docName string

// newDocName returns a name that nobody has.
func newDocName() docName { return docName(newDocumentID().String()) }

// speech is how the clients of a contestant speak. Its methods are safe for
// concurrent use. Clients answer at once, and do nothing that a stock client does
// not do; none keeps a replica of the text.
type speech interface {
	// knock connects, does what a client does before it opens a document, and
	// closes. It fails while the server does not answer yet.
	knock(ctx context.Context, p *kjproc.Process) error

	// seed makes a document, from one client, and returns when the server has
	// said that it has all of it, or as sure a sign of that as the server gives.
	seed(ctx context.Context, p *kjproc.Process, doc docName, h history) error

	// enter connects one client, opens a document that seed made, and returns
	// when it is there. What others edit is told to the journal as it arrives,
	// and so are own edits when they are stored; j may be nil.
	enter(ctx context.Context, p *kjproc.Process, doc docName, j *journal) (editor, error)

	// coldJoin fetches a whole document as a client that has nothing, on a
	// connection of its own.
	coldJoin(ctx context.Context, p *kjproc.Process, doc docName) (opening, error)

	// listeners returns a maker of listeners of one document, and the URL that
	// they connect to. The listeners of one maker belong to one goroutine, so that
	// they may share what they know of messages that each of them gets. With j nil
	// they tell nobody of edits. With doc empty they open none; next is nil where
	// the protocol has no such connections.
	listeners(p *kjproc.Process, doc docName, j *journal) (url string, next func() listener)
}

// saver is a speech that knows the size in bytes of a document as its library
// saves it.
type saver interface {
	saved(doc docName) (int64, error)
}

// editor is one client that edits a document: it types into the first text, each
// character behind the one that it typed before.
type editor interface {
	// edit makes n edits of one character each and sends them in one message. It
	// tells the journal of each before it is sent.
	edit(ctx context.Context, n int) error

	// insert is one edit, which puts a string in. The journal counts it as one.
	insert(ctx context.Context, s string) error

	// ready returns when the server has all that this client has, by the best
	// sign that it gives.
	ready(ctx context.Context) error

	// close ends the connection. It returns the failure that had ended it
	// before, if one had.
	close() error
}

// heardBytes is how much of a message a listener is given at most.
const heardBytes = 64 << 10

// listener is one connection of a chorus: a client that opens a document and
// answers as a stock client does. It is not safe for concurrent use. The chorus
// has made the connection and upgraded it, without compression.
type listener interface {
	// greet returns the WebSocket messages to send at once, in order.
	greet() [][]byte

	// hear takes one message, whose last byte came at a time, and returns what to
	// answer, in order. Of a message of size bytes, longer than heardBytes, it is
	// given as many only: 500 clients that get a document at once need not keep it.
	// It must not keep the message, and what it returns is sent or copied before
	// the next call.
	hear(message []byte, size int, at time.Time) ([][]byte, error)

	// ready reports whether the document is there, to its last byte.
	ready() bool
}

// opening is one client's getting a document.
type opening struct {
	took  time.Duration // from the request to the last byte of the last change
	bytes int64         // read from the network meanwhile
	turns int           // messages that the client sent before the last byte came, the request among them
}
