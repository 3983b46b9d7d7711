// Package interop is the black-box suite: unmodified npm clients in Node and
// in Chromium, and a peer that speaks the wire protocol by hand, against a
// server process.
//
// The suite itself is JavaScript: suite.mjs runs the cases under cases/ with
// what lib/ offers, and prints one line for each. It starts `kj serve` as a
// child process, kills it with SIGKILL and starts it again on the same data,
// and puts a TCP proxy between it and the clients to cut and swallow. The same
// suite runs against the npm sync server (reference-server.mjs), which shows
// that the cases ask for the protocol and not for our habits; what that server
// is known to get wrong is marked in the cases. The package holds only tests:
// they build the server, run the suite and report each case as a subtest.
//
// Cases wait for conditions with deadlines, never for time to pass.
package interop
