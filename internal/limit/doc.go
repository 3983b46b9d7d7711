// Package limit bounds what a principal, a document, a connection or an address
// may use: so much in a second, so many at a time, so many in all.
//
// Rules lists every limit with its name, default and meaning; a Limiter holds
// their values, which may change while it is used, and counts what they held
// back. There are three kinds:
//
//   - A rate is kept by a Bucket, which is shared by all that have the same rule
//     and key. It is a token bucket of golang.org/x/time/rate that starts full and
//     holds what the rule allows in Rule.Burst. Take slows: it always takes, and
//     says how long the taker has to wait. Allow refuses.
//   - A count bounds how many hold a place at once: Enter and its leave.
//   - A quota bounds a total that somebody else counts: Check.
//
// A Door is a listener that lets connections in at a pace for each address and
// for all together, and ends the oldest that say nothing when there are too many. Whom
// it let in is a Visitor to those who serve it. They say whether they trust it: of
// those that they do not, few are read at a time, the addresses in turn, and what
// one is blamed for makes its address wait.
//
// Invariants:
//
//   - A refusal is an *Exceeded, which names the limit, and says what to do and
//     when to come again.
//   - Memory is bounded by who is there: a bucket lives while somebody has it
//     open, and until it is full again.
//   - The value 0 is no limit.
//
// A Limiter starts no goroutine; a Door has one that accepts and one that lets
// in, until it is closed. The package stores nothing, knows no protocol and does
// not log: what was held back is in Limiter.Stats. It does not decide what a
// message or a change costs.
package limit
