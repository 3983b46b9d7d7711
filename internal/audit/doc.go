// Package audit keeps a log of who was refused what and who did what is for few
// to do: refused calls and changes, logins, tokens at new addresses, roles and
// tokens that are others now, and operations that cannot be taken back.
//
// A Log is files in a directory of its own, one JSON object a line:
//
//	audit-20261122T101500.000Z.jsonl   entries from then on
//
// Only the newest is written, by appending; when it is larger than MaxBytes or
// a day old, the next begins. Files whose last entry is older than Keep are
// deleted, and beyond MaxFiles the oldest. Directory and files are for their
// owner only. What is written is synced to disk within SyncEvery, and by Close;
// a power cut loses what is younger. A torn last line is passed over when it is
// read, and ended before the next is written.
//
// Nothing in an entry is of what documents hold, and nothing is a secret:
// callers see to the first, Add to what looks like one of our tokens.
//
// Add never waits for the disk: it queues, and when the queue is full it drops
// and counts, and an entry says how many. Refusals that repeat are told once a
// minute with their number, so that nobody can wash the log out by being
// refused. When the disk fails, the log says so once and goes on trying with
// every entry: an action is never refused for want of its entry.
//
// One goroutine writes; it is started by Open and ends with Close. Everything
// is safe for concurrent use. The log is this node's own: others keep theirs.
package audit
