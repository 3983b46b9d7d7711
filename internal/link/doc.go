// Package link reaches other kernels: over HTTP, with an operation of their
// server and a token that their owner made for ours.
//
// A link says where another kernel's server is and which token to show it. It
// belongs to the kernel, not to a node: every node that has the record may use
// it.
//
// Invariants: a token leaves this package only in the Authorization header of a
// request to the address that it was set with; it is in no list, error or log,
// and it does not follow a redirect. Beyond this machine an address is https,
// unless the link says that plain http is meant. A server is asked which kernel
// it is before it sees the token; one that is another than the link's sees
// neither token nor drift. It is taken for who it was for ten seconds. What it
// answers is bounded in size and time, and decoded strictly; what it says in its
// own words is cut and cleaned before it is shown.
//
// Errors say what to do about them: one that wraps kaijutsu.ErrUnavailable is
// for trying later, one that wraps kaijutsu.ErrDenied is the other kernel's last
// word, and the others are its complaints about an address or the drift.
//
// The package starts no goroutine. It reads records, one for each link, of the
// table that all nodes of the kernel share; Set and Remove write them:
//
//	link/<kernel>  {"v":1,"url":…,"token":…,"plain":…,"by":…,"at":…}
//
// The token is kept as it is: it has to be shown to the other server. Whoever
// may read the data directory may read it, as they may the owner's token.
//
// It does not keep what could not be delivered, try again, or decide what is
// taken from other kernels: internal/courier and internal/policy do.
package link
