// Package server builds the parts, runs them and stops them in reverse: the
// store, the bus, the open documents, the records that nodes share, who has
// access, the search index, the hub of events, the kernel, the cluster of nodes,
// the operations, and the doors: editors' WebSocket at /sync, operations over HTTP
// at /v1/ops, agents at /mcp, the web page at /, and three addresses for people
// and programs: GET /v1/contexts, /v1/contexts/{c}/tail and /export, each of
// which is there for whom its operation is.
//
// Access has two modes. In "local", the default on a loopback address, a
// connection without a token acts as the principal "local", and a browser is
// served only from the server's own origin under a loopback name. In "token",
// the only mode allowed beyond loopback, every request carries a token, as
// bearer header, as cookie or as the query parameter "token": the owner's, or
// one of internal/access. "local" and "owner" own the kernel; other principals
// have the rights of their roles, which editors are asked for with every
// message. A token that is revoked, rotated or expires ends the connections,
// streams and calls it came with. What it narrows holds at every door. An
// OpenID Connect provider may vouch for people instead (oidc.go), and the
// listener may be encrypted (tls.go).
//
// Every call of an operation is logged when it is over: refused ones and those
// that cannot be taken back or say who may do what at level info, the rest at
// debug; never what is in blocks. Refusals at all doors, logins and what few may
// do are in the audit log of the data directory, which is internal/audit's.
//
// A data directory is of one kernel: its name is kept in the store with the
// first start, and another is refused once something is stored. Without NATS
// servers the bus is inside the process and there are no other nodes.
//
// Goroutines: the HTTP server's, and the reviewer, which has connections asked
// anew what they may do when a right is another now, here or on another node.
//
// Start returns when the server accepts connections; Close waits for every
// goroutine that it started. The package stores the owner's token and the
// address of the running server as files in the data directory, and the kernel's
// name as the record server/kernel, nothing else.
package server
