// Package server builds the parts, runs them and stops them in reverse: the
// store, the open documents, the editors' WebSocket at /sync, the HTTP
// operations at /v1 and the web page at /.
//
// Access has two modes. In "local", the default on a loopback address, a
// connection without a token acts as the principal "local", and a browser is
// served only from the server's own origin under a loopback name. In "token",
// the only mode allowed beyond loopback, every request carries the owner's
// token: as bearer header, as cookie or as the query parameter "token".
//
// Start returns when the server accepts connections; Close waits for every
// goroutine that it started. The package stores the owner's token and the
// address of the running server as files in the data directory, nothing else.
package server
