// Package halt lets somebody else end a computation that takes too long.
//
// A Flag is given to what computes, and its long loops call Check, which costs
// about a nanosecond. When the flag is raised, Check panics with Stopped; whoever
// started the computation recovers that and forgets what was being made, which
// may be half done. Package guard does so.
//
// The package starts no goroutine and stores nothing. It does not find out that
// something takes too long.
package halt

import "sync/atomic"

// Flag ends a computation. The zero value is lowered. A nil Flag is never
// raised. It is safe for concurrent use.
type Flag struct{ why atomic.Pointer[Stopped] }

// Stopped is what Check panics with.
type Stopped struct {
	// Memory says that it took too much memory, and not too much time.
	Memory bool
	// Why is for people.
	Why string
}

// Error says why the computation was ended.
func (s *Stopped) Error() string { return s.Why }

// Check panics with a *Stopped when the flag is raised.
func (f *Flag) Check() {
	if f != nil && f.why.Load() != nil {
		f.stop()
	}
}

//go:noinline
func (f *Flag) stop() {
	if s := f.why.Load(); s != nil {
		panic(s)
	}
}

// Raise ends the computation at its next Check. The first reason stands.
func (f *Flag) Raise(s Stopped) { f.why.CompareAndSwap(nil, &s) }

// Raised returns why, or nil.
func (f *Flag) Raised() *Stopped {
	if f == nil {
		return nil
	}
	return f.why.Load()
}

// Lower readies the flag for the next computation.
func (f *Flag) Lower() {
	if f.why.Load() != nil {
		f.why.Store(nil)
	}
}
