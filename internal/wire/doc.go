// Package wire turns the frames of the automerge-repo WebSocket protocol
// (version "1") into structs and back: one CBOR map per binary frame, the field
// "type" says which message it is. It serves both ends: a server and a client
// encode and decode with the same two functions.
//
// Decode is tolerant where stock clients differ: map headers longer than need
// be, byte strings under tag 64 (clients before August 2023), null and undefined
// for absent fields, counts as floats, indefinite lengths, unknown fields,
// unknown types of message. It is strict about the type and size of every
// field it knows; the limits are the constants of limits.go. What it returns
// may alias the frame.
//
// Encode writes what cbor-x, the decoder of the JavaScript clients, reads as
// plain values: definite lengths, byte strings without tag, and no 8-byte
// integer, which would become a BigInt.
//
// The package is pure: no I/O, no goroutines, nothing stored. It does not look
// into sync messages (internal/amfile does) and knows nothing of connections.
package wire
