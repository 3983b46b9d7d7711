// Package kjproc runs `kj serve` and nats-server as child processes that can be
// killed or stopped at any moment: for the demo, the crash tests, the interop
// tests, the torture and the benchmarks.
//
// Each child has one goroutine that reads its standard output; Kill and Stop
// wait for both. On Linux a child ends with its parent, however that ended. The
// package stores nothing; data directories belong to the caller. That of a
// nats-server also holds the configuration file that is written for it.
package kjproc
