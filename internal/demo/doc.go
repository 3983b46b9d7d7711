// Package demo shows the server at work and tells the truth about it: two
// editors speaking the real wire protocol and an agent that streams a block, a
// server killed with SIGKILL half way, and a count of what was acknowledged
// before the kill and found after it.
//
// Run starts kj serve on a temporary directory as a child process, which is
// gone when Run returns. Each writer is a goroutine that Run waits for.
package demo
