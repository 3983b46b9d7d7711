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
// janitor that closes idle documents; one per document that is being fetched.
// Close waits for all of them.
//
// Documents are opened on demand and closed when nobody has used them for a
// while or when the memory estimate of all open documents passes the budget,
// least recently used first. Sync needs only the change graph; the read model,
// in which edits are made too, is filled when somebody asks for blocks and
// dropped when nobody has for a while, or with the document.
//
// # Who may
//
// A session's right is asked for every message and every pull. Changes of peers
// are judged before the graph takes them, those that waited when they are
// freed: a reader's are refused, a commenter's but for its own comments, and
// whatever belongs to another document. Who brought a change is noted with the
// first of its actor, in the same transaction; what a service brings is
// somebody's who is not known, via the service.
//
// # Forks
//
// A fork names heads of another document, and its log begins with one change,
// its anchor, from which all others descend. What it rests on is read from the
// store when it is opened, and may itself be a fork. The fork's first snapshot
// holds everything: it rests on nothing then. That happens when it has grown,
// when it rests on a tower of forks, and before what it rests on is deleted.
//
// # The journal
//
// Every commit of changes writes, in the same transaction, an entry of the
// journal: the outbox of internal/store. It says which changes of which
// document's log these are, and whether other nodes brought them; local ones and
// others never share an entry. The journal is the order of everything that was
// committed here, and what is still to be told to others; Committed tells the
// same at once. It is pruned by whoever knows what was told.
//
// A document's log never changes its order, so its versions are the same for
// ever here, and each can be traced again: Replay.
//
// # Other nodes
//
// What other nodes bring is validated like a peer's, but who may was decided
// there: it is only judged for the document it belongs to. What lacks others
// waits, in memory, and is reported. A fork is made resting on its base when
// that is here, and else with its whole history, which may have been another
// context's up to the anchor. Who an actor is, a node believes of those that it
// did not know; what it knew stands.
//
// The package stores nothing of its own: keys belong to internal/store. It
// knows nothing of connections, frames or tokens, and it does not say who has
// which right.
package repo
