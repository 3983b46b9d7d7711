// Package cluster keeps the documents of a kernel's nodes the same. Every node
// holds every document; what is written at one is copied to the others three
// ways, of which each makes up for what the one before it loses.
//
//   - The live copy: Note publishes the commits of this node at once after the
//     disk. It is lossy: it is dropped when there is too much of it or NATS is
//     away.
//   - The feed: the relay reads the repo's journal from where it got to and
//     appends this node's changes to JetStream, joined by document; the mark
//     moves when everything before it is acknowledged. Every node reads all
//     shards from its cursors.
//   - The comparison: nodes announce digests of what they hold, and get from
//     each other what differs. It makes up for everything: a feed that was
//     wiped, cut short or skipped, and a node that was away for long.
//
// # What holds
//
// Durable, then visible, on every node: a change of another node is shown when
// it is on disk here. A cursor or mark that is stored covers only what is on
// disk here, or was given up to the comparison. NATS being away, slow or wrong
// never blocks or refuses an edit; Admit slows it down while NATS is there and
// behind. Changes come any number of times in any order with one effect. What
// comes over NATS is bounded, checked and decoded strictly; what is refused is
// counted by reason. No decision depends on wall clocks of several machines.
// After the start, and when NATS was away, what others bring waits for the
// kernel's records, 10 s at most: a right that was taken away counts before
// what was written since is shown.
// Changes of few bytes may hold very many operations: they are decoded in
// portions of 200,000 operations or of one change, two at a time whatever the
// lanes, besides 2,000 in each lane. At 150 bytes an operation that is some 80 MB
// and, of the largest changes that there are, 320 MB; what waits holds none.
// A client that writes two changes under one number, one at each of two nodes,
// splits a document: no copy may hold both. Each node keeps its own and what was
// written since, and both say so.
//
// # Messages
//
// The first byte is the kind; lengths and counts are varints in shortest form.
//
//	0x01 batch     document, origin, hashes, signers, changes
//	0x02 notice    document, heads, node: a change above 400 KiB, to be asked for
//	0x03 announce  asks, 256 sums of 8 bytes
//	0x04 who       document                 0x05 has  node, changes
//	0x06 since     documents with heads     answered by batches and 0x07 ends
//	0x08 list      256 bits                 answered by 0x09 documents and heads
//
// Answers to since and list are items with their lengths before them, cut into
// messages of 256 KiB whatever the size of the items.
//
// # Subjects and keys
//
// Below kj.<kernel>.: node.live.<shard>, node.feed.<shard>.<document> (message
// id <document>:<first 16 bytes of the SHA-256 of the message>), node.ae for
// announcements, node.ask and node.ask.<node id> for questions. In the bus's
// keys node.<node id>, with a time to live of 20 s. In the store the record
// cluster/marks.
//
// A bucket's sum is the exclusive or over its documents of the first 8 bytes of
// SHA-256(length of id, id, heads ascending), its lowest bit set; the bucket is
// the first byte of SHA-256(id). Announcements come every 2 s while something
// moves or differs, up to 10 s apart when not. A difference costs a question
// when it has outlived a second of quiet or three announcements, at once after
// the start and when the feed was reset. Getting a document in vain is repeated
// after 2 s, then ever later, up to 10 minutes.
//
// # Goroutines
//
// The sender of live copies, one that brings the records first, the relay and the one that awaits its
// acknowledgements, the announcer, the healer, the keeper of the marks, two for
// the registry of nodes, one for each shard; one for each document that has
// changes of others on the way, of which 64 work at a time; one for each
// document whose past is missing, of which 8 ask at a time; one for each Fetch.
// Close ends and awaits them all.
//
// # What it does not do
//
// It does not merge, order or judge changes, which the repo does. It keeps no
// copy of changes beyond bounded queues. It does not place documents: every
// node has all. It decides nothing that needs one hand only; that takes a lease
// of the bus.
package cluster
