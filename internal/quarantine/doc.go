// Package quarantine remembers which changes are not to be worked on, because
// working on them went wrong, and which documents are served read-only, because
// what is on disk already goes wrong.
//
// Invariants: a change that is listed is refused by its hash from then on,
// whoever brings it, also after a restart. Nothing is thrown away: up to a
// mebibyte of its bytes is kept with the entry. An entry that the disk refuses
// holds until the process ends.
//
// What a validator refused is listed too, so that whoever runs the server sees
// who tries what: the last few hundred, in memory, so many a minute of each
// principal. Those entries refuse nothing: the validator does it again.
//
// Keys: records "quarantine/DOCUMENT/HASH", a JSON object with a version, and
// "quarantine/DOCUMENT/HASH/NN", the bytes of the change in parts.
//
// The package starts no goroutine; a List is safe for concurrent use. It
// deliberately does not find out what goes wrong, and never looks into the
// bytes it keeps.
package quarantine
