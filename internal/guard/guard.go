package guard

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/internal/halt"
)

// Failure is a panic as an error. It wraps kaijutsu.ErrUnavailable: whoever
// asked did nothing wrong, as far as anybody knows.
type Failure struct {
	// Name says what failed; Value is what it panicked with, as text, and
	// Stack where.
	Name, Value, Stack string
	// Stopped is set when it was ended for taking too much.
	Stopped *halt.Stopped
}

// Error names what failed and why, without the stack.
func (f *Failure) Error() string {
	if f.Stopped != nil {
		return fmt.Sprintf("%s was ended: %s: %v", f.Name, f.Value, kaijutsu.ErrUnavailable)
	}
	return fmt.Sprintf("%s failed: %s: %v", f.Name, f.Value, kaijutsu.ErrUnavailable)
}

// Unwrap returns kaijutsu.ErrUnavailable.
func (f *Failure) Unwrap() error { return kaijutsu.ErrUnavailable }

// Log logs the failure with its stack.
func (f *Failure) Log(log *slog.Logger, args ...any) {
	if log == nil {
		return
	}
	log.Error("goroutine recovered from a panic", append([]any{"name", f.Name, "panic", f.Value, "stack", f.Stack}, args...)...)
}

// Recovered returns what a recovered panic means, and counts it. It is for who
// calls recover itself.
func Recovered(name string, p any) *Failure {
	f := &Failure{Name: name, Value: describe(p), Stack: string(debug.Stack())}
	if err, ok := p.(error); ok {
		errors.As(err, &f.Stopped)
	}
	count(name)
	return f
}

// describe returns a panic's value as it may be logged. Those of the runtime
// say nothing about the data; of others so much that it can be recognised.
func describe(p any) string {
	switch p := p.(type) {
	case runtime.Error:
		return p.Error()
	case *halt.Stopped:
		return p.Why
	case string:
		return p[:min(len(p), 120)]
	case error:
		text := p.Error()
		return fmt.Sprintf("%T: %s", p, text[:min(len(text), 120)])
	}
	return fmt.Sprintf("%T", p)
}

// Do runs f. A panic in it is returned as a *Failure, and not logged.
func Do(name string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = Recovered(name, p)
		}
	}()
	return f()
}

// Func returns a function that runs f and logs a panic in it. After one f is
// over: its deferred calls have run.
func Func(log *slog.Logger, name string, f func()) func() {
	return func() {
		defer func() {
			if p := recover(); p != nil {
				Recovered(name, p).Log(log)
			}
		}()
		f()
	}
}

// Go runs f in a goroutine, as Func has it. The caller sees to it that it ends.
func Go(log *slog.Logger, name string, f func()) {
	go Func(log, name, f)()
}

// The pauses of Keep.
const (
	firstPause = 100 * time.Millisecond
	maxPause   = 5 * time.Second
)

// Keep returns a function that runs f until it returns, again after each panic,
// with a pause that doubles up to 5 s. It returns without f's leave when done is
// closed in a pause; done may be nil.
func Keep(log *slog.Logger, name string, done <-chan struct{}, f func()) func() {
	return func() {
		for pause := firstPause; ; pause = min(2*pause, maxPause) {
			err := Do(name, func() error { f(); return nil })
			var failed *Failure
			if !errors.As(err, &failed) {
				return
			}
			failed.Log(log, "again", pause)
			timer := time.NewTimer(pause)
			select {
			case <-timer.C:
			case <-done:
				timer.Stop()
				return
			}
		}
	}
}

// Vital returns a function that runs f. After a panic that is logged, the
// process ends.
func Vital(log *slog.Logger, name string, f func()) func() {
	return func() {
		defer func() {
			if p := recover(); p != nil {
				Recovered(name, p).Log(log, "process", "ends")
				panic(p)
			}
		}()
		f()
	}
}

var counts struct {
	mu     sync.Mutex
	byName map[string]int64 // guarded by mu
}

func count(name string) {
	counts.mu.Lock()
	defer counts.mu.Unlock()
	if counts.byName == nil {
		counts.byName = make(map[string]int64)
	}
	counts.byName[name]++
}

// Counts returns how many panics there were since the process started, by the
// name of what panicked. Names are a closed set.
func Counts() map[string]int64 {
	counts.mu.Lock()
	defer counts.mu.Unlock()
	return maps.Clone(counts.byName)
}

// Total returns how many panics there were since the process started.
func Total() int64 {
	n := int64(0)
	for _, k := range Counts() {
		n += k
	}
	return n
}
