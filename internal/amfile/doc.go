// Package amfile reads, writes and judges Automerge's binary formats: chunks,
// changes, documents, sync messages and sync states. It follows the format
// specification (https://automerge.org/automerge-binary-format-spec) and, where
// that is silent, what automerge 3.5.0 for JavaScript does.
//
// # What it reads
//
// Chunks of type 0 (document), 1 (change) and 2 (deflated change); bundles
// (type 3) are told apart and not opened. Of a change, the operation columns
//
//	0x01 0x02 object   0x11 0x13 element   0x15 map key   0x34 insert
//	0x42 action   0x56 0x57 value   0x70 0x71 0x73 predecessors
//	0x94 expand   0xa5 mark name
//
// and of a document also 0x21 0x23 (id) and 0x80 0x81 0x83 (successors), in
// place of predecessors, and the columns of its change list. The actions are
// makeMap (0), put (1), makeList (2), delete (3), makeText (4), increment (5)
// and mark (7). Sync messages are of version 1 and 2.
//
// # What it refuses, and why
//
// Everything here may come from a stranger, and what is accepted is passed on.
// Native engines abort the process on some malformed changes; others apply in
// every engine and leave a document that can never be loaded again. So a change
// is decoded, encoded again in the one form that encoders write, and compared:
// a difference refuses it. Then these rules hold; RuleError gives the number.
//
//	 1  framing: magic, checksum, known type, exact length
//	 2  size of a chunk, deflated and inflated
//	 3  numbers in their shortest form; no count beyond what bytes can hold
//	 4  column tables: known columns, ascending, not empty, not deflated
//	 5  operations and predecessors of one change
//	 6  the bytes are those that encoding the decoded change gives
//	 7  actor ids: length; every index is in the table
//	 8  other actors ascend, without the author, each referred to
//	 9  sequence numbers (that they follow on: package changegraph)
//	10  dependencies ascend (that they are there: package changegraph)
//	11  the author's previous change is a dependency (package changegraph)
//	12  operation counters (that they pass the dependencies': changegraph)
//	13  time within 2^53 seconds of 1970
//	14  text is UTF-8; message, keys, mark names and values have a length limit
//	15  known action; tables (6) are not accepted
//	16  value types and their exact encoding; increments are integers; what
//	    makes or deletes has no value
//	17  objects were made in the causal past
//	18  the slot, a key or an element, fits the object's type
//	19  elements were inserted into the object in the causal past
//	20  insertions supersede nothing, and do not delete or increment
//	21  predecessors ascend, are older, in the causal past, in the same slot,
//	    and put or make something
//	22  deletions and increments have predecessors; increments a counter
//	    among them
//	23  a change replaces its own values instead of piling up conflicts
//	24  marks are inserted into texts; a mark's end follows its begin, both in
//	    the change and in the sequence
//	25  texts hold single characters, maps (block markers) and marks
//	26  nothing but an author footer follows the columns, and only in an
//	    actor's first change
//	28  sync messages: version, bloom filter parameters, lengths
//
// Rule 27, rates and piles over many changes, is for who sees many changes.
// The empty map key is accepted: editors make it and can save and load it.
//
// # Invariants
//
// No input makes a function panic, loop for ever, or take memory out of
// proportion: counts are compared with the bytes at hand and the limits of
// limits.go before anything is allocated. EncodeChange of what DecodeChange
// returned gives the same bytes and hash. Decoded values alias their input and
// are not modified afterwards, so they may be shared between goroutines.
//
// # What it does not do
//
// It has no engine: it does not merge, does not know the current value of
// anything, keeps no state between calls and decides nothing about order,
// duplicates or missing dependencies. It starts no goroutine, does no I/O and
// stores nothing. It does not write bundles or deflated changes, and does not
// keep columns it does not know: a change with one is refused, because engines
// drop it and the hash no longer matches.
package amfile
