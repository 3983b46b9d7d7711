package wire

import "kaijutsu"

// The values of the field "type".
const (
	typeJoin               = "join"
	typePeer               = "peer"
	typeError              = "error"
	typeRequest            = "request"
	typeSync               = "sync"
	typeDocUnavailable     = "doc-unavailable"
	typeEphemeral          = "ephemeral"
	typeSubscriptionChange = "remote-subscription-change"
	typeHeadsChanged       = "remote-heads-changed"
	typeLeave              = "leave"
)

// Version is the protocol version that this package speaks.
const Version = "1"

// Message is one of the message structs of this package, by value.
type Message interface {
	// Type returns the value of the field "type".
	Type() string
	// Sender returns the peer id in the field "senderId".
	Sender() string
}

// Metadata is what a peer says of itself.
type Metadata struct {
	// StorageID names the peer's durable storage; empty when it has none.
	StorageID string
	// Ephemeral says that the peer's sync state is not worth keeping.
	Ephemeral bool
}

// Join is the first message of a client.
type Join struct {
	SenderID string
	Metadata Metadata
	// Versions are the protocol versions the client speaks. Decode returns
	// [Version] when the client did not say.
	Versions []string
}

// Peer answers a Join; the client starts syncing when it has it.
type Peer struct {
	SenderID, TargetID string
	Metadata           Metadata
	Version            string
}

// Error says why the sender is about to close the connection or does not take
// part in a document any more. Clients log it.
type Error struct {
	SenderID, TargetID string
	Message            string
}

// Request is a Sync for a document that the sender does not have.
type Request struct {
	SenderID, TargetID, DocumentID string
	// Data is an automerge sync message; never empty.
	Data []byte
}

// Sync carries an automerge sync message of one document.
type Sync struct {
	SenderID, TargetID, DocumentID string
	// Data is an automerge sync message; never empty.
	Data []byte
}

// DocUnavailable says that the sender does not have the document, or that the
// receiver may not have it.
type DocUnavailable struct {
	SenderID, TargetID, DocumentID string
}

// Ephemeral carries something that is shown and forgotten, such as a cursor.
// Relays pass it on with another TargetID and nothing else changed.
type Ephemeral struct {
	// SenderID is the peer that made the message, not the one that relays it.
	SenderID, TargetID, DocumentID string
	// SessionID and Count tell duplicates: a sender counts up within a session.
	SessionID string
	Count     uint64 // at most 2^53
	// Data is one well-formed CBOR data item.
	Data []byte
}

// SubscriptionChange says of which storage ids the sender wants to hear.
type SubscriptionChange struct {
	SenderID, TargetID string
	Add, Remove        []string
}

// HeadsChanged says what the named storages hold of a document.
type HeadsChanged struct {
	SenderID, TargetID, DocumentID string
	Heads                          map[string]StorageHeads // by storage id
}

// StorageHeads are the heads of one storage at a time.
type StorageHeads struct {
	Heads kaijutsu.Heads
	// UnixMillis is a time in milliseconds; clients may send fractions.
	UnixMillis float64
}

// Leave says that the sender is about to close the connection.
type Leave struct {
	SenderID string
}

// Unknown is a message of a type that this package does not know. It is
// ignored, never encoded.
type Unknown struct {
	Name     string
	SenderID string // empty when the message has none
}

// Type returns the value of the field "type".
func (Join) Type() string               { return typeJoin }
func (Peer) Type() string               { return typePeer }
func (Error) Type() string              { return typeError }
func (Request) Type() string            { return typeRequest }
func (Sync) Type() string               { return typeSync }
func (DocUnavailable) Type() string     { return typeDocUnavailable }
func (Ephemeral) Type() string          { return typeEphemeral }
func (SubscriptionChange) Type() string { return typeSubscriptionChange }
func (HeadsChanged) Type() string       { return typeHeadsChanged }
func (Leave) Type() string              { return typeLeave }
func (m Unknown) Type() string          { return m.Name }

// Sender returns the peer id in the field "senderId".
func (m Join) Sender() string               { return m.SenderID }
func (m Peer) Sender() string               { return m.SenderID }
func (m Error) Sender() string              { return m.SenderID }
func (m Request) Sender() string            { return m.SenderID }
func (m Sync) Sender() string               { return m.SenderID }
func (m DocUnavailable) Sender() string     { return m.SenderID }
func (m Ephemeral) Sender() string          { return m.SenderID }
func (m SubscriptionChange) Sender() string { return m.SenderID }
func (m HeadsChanged) Sender() string       { return m.SenderID }
func (m Leave) Sender() string              { return m.SenderID }
func (m Unknown) Sender() string            { return m.SenderID }
