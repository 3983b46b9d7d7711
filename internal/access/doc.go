// Package access says who a token belongs to and what a principal may do.
//
// A principal has a name, unique on the server, a kind, which its name keeps
// for ever because histories refer to it, one role on the kernel and a list of
// operations that it may not use. It may have several tokens; a token is a key
// to its principal and carries no rights of its own; its scope may narrow them:
// to a role, to contexts, to operations, to doors. A principal without a
// token that is good has no right at all.
//
// Another authority may vouch for somebody (Welcome): an issuer and a subject
// are one principal for ever, made when they first come, with the role that the
// authority's word stands for. Its tokens are in memory until they end (Admit);
// revoking them is a record, which says until when what it gave out is void.
//
// A grant gives a principal another role in one context: more than its role on
// the kernel, or less. The owners of the kernel are owners everywhere; no grant
// changes that. Lists of denied operations bind the doors' operations, not what
// a client syncs.
//
// An identity says how a principal signs in commits and notes: full name,
// address, model and tool. It gives no right. The names of what acts in the
// server by itself, disk, git and kaijutsu, are nobody's: no token is made for
// them (Reserved).
//
// Invariants: what is answered is on disk; what is taken away is gone when the
// call returns, for requests under way and open connections too, which watch
// their token. A secret is shown once, when it is made; what is kept is its
// SHA-256, and a look-up by it takes the same time however near a guess is.
// Nothing here is ever read from a document, which any peer may rewrite.
//
// Everything is in memory, behind a mutex with no I/O under it: a right is
// asked for with every sync message. Writers take turns, and memory follows the
// records, whichever node has written them: what another node takes away is
// gone as soon as its record arrives. Of what two nodes say at the same time
// internal/records keeps one; a token that one of them revokes is gone. The
// package starts no goroutine; a watched token that expires has a timer until
// the watch ends. When a token was last used is known of this server since its
// start only: a write for each use is not worth it.
//
// Records of internal/records, JSON with a version "v"; one that cannot be read
// gives no right, is logged and counted (Unread):
//
//	access/principal/<name>         kind, role, denied operations
//	access/token/<id>               principal, SHA-256 of the secret and of the one before, expiry, scope
//	access/subject/<name>           issuer, subject, role that it stood for; since when it is void
//	access/grant/<document>/<name>  role
//	identity/<kind>/<name>          full name, address, model, tool; by and at
//
// It does not know the owner's token, which is a file, or how requests carry
// tokens: that is internal/server.
package access
