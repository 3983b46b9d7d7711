// Package flowbus carries what kernels tell each other and what others follow:
// the bus over NATS, and the events with their subjects, patterns and codec.
//
// # The bus
//
// Open gives a Bus: over a NATS server inside the process, which opens no port
// (Config.Servers empty), or over an existing cluster. Above it are core
// messages (Publish, Subscribe: at most once), questions with streamed answers
// (Serve, Ask, AskAll), the feed (Feed: JetStream, at least once within its
// window), keys with a time to live (Put, Renew, Create, Get, WatchKeys) and
// leases (Hold).
//
// NATS only delivers. Nothing here is the truth: the stores of the nodes are.
// Every part comes back by itself when NATS does, also when its data is gone:
// streams and the bucket are made again, and a reader of the feed is told.
//
// Invariants:
//
//   - Publish never blocks and never keeps a message for later: a message that
//     cannot be sent now is refused.
//   - Loss is told: a subscriber hears how many messages were dropped, a reader
//     of the feed hears why its cursor did not hold.
//   - What comes in is checked before anybody sees it: schema, sender, size. What
//     fails is counted by node, logged at a limited rate and dropped.
//   - No decision depends on a wall clock of this machine: expiry is the NATS
//     server's, deadlines here are spans of monotonic time.
//   - A lease's token grows from holder to holder.
//
// Goroutines: each subscription, each served question, each Consume, WatchKeys
// and Lease has one; the Bus has one that writes core messages and one that
// looks after the feed's acknowledgements. Close stops them and waits.
//
// Subjects, all below kj.<kernel>.: ctx.… and sys.… for events, node.… between
// nodes; streams KJ_<kernel>_<shard>; bucket KJ_<kernel>, whose keys
// lease.<name> and fence belong to this package.
//
// It deliberately does not know what the messages mean, keep an outbox, or
// repair what was lost: that is the business of the cluster above it.
package flowbus
