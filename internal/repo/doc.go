// Package repo holds the open documents: an owner goroutine each, durable then
// visible.
//
// Everything that reads or changes a document's state goes through its
// bounded inbox. The owner drains the inbox, validates what came, commits it
// with one transaction to the store, and only then answers: a session's Pull,
// an Edit's return and a watcher's wake-up never show a change that is not on
// disk. When the disk refuses, the owner forgets the changes it had accepted
// and tells the sessions that brought them; nobody else has seen them.
//
// Goroutines: one owner per open document, started by acquire and ended by
// eviction or Close; at most one snapshot job at a time in the whole Repo; one
// janitor that closes idle documents. Close waits for all of them.
//
// Documents are opened on demand and closed when nobody has used them for a
// while or when the memory estimate of all open documents passes the budget,
// least recently used first. Sync needs only the change graph; the read model
// and the engine-backed editor are filled when somebody asks for blocks and
// dropped with the document.
//
// The package stores nothing of its own: keys belong to internal/store. It
// knows nothing of connections, frames or permissions beyond "read only".
package repo
