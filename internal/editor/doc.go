// Package editor is an automerge-repo client in Go: one peer over one
// WebSocket that opens documents, edits them, goes offline and comes back. The
// demo's editors, the load generator and the crash tests are made of it; it
// speaks the protocol that stock JavaScript clients speak and has no other way
// to the server.
//
// A Client may be used from several goroutines; each Document has a lock of
// its own. One goroutine per connection reads frames; it ends with the
// connection, and Close waits for it. Nothing is stored.
//
// It deliberately does not throttle: an edit is sent at once, where JavaScript
// clients wait up to 100 ms for more.
package editor
