package op

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"kaijutsu"
)

// Gates are what every call passes. The zero value lets everybody do
// everything that their Call.Right allows, within the default limits.
type Gates struct {
	// Log receives internal errors and panics; required.
	Log *slog.Logger
	// Deny names operations that are not there for anybody, as Call.Deny does.
	Deny []string
	// Permit refuses a call whose parameters name what the caller has no right
	// to. It is asked after the parameters are decoded; in is the operation's
	// In. Nil permits what the operation's own checks permit.
	Permit func(ctx context.Context, c Call, spec *Spec, in any) error
	// Admit refuses a call of somebody who calls too often. It is asked before the
	// parameters are looked at, and must return at once. Nil admits all.
	Admit func(c Call, spec *Spec) error
	// Observe is told of every call as it begins; the context it returns is the
	// call's, and the function is told how it went. Both must return at once.
	Observe func(ctx context.Context, c Call, name string) (context.Context, func(Record))
	// Audit is told of every call when it is over. It must return at once.
	Audit func(Record)
	// Now is the clock; default time.Now.
	Now func() time.Time

	Limits Limits
}

// Limits bound a call. Zero fields take the defaults.
type Limits struct {
	ParamBytes int           // size of the parameters; default 16 MiB
	Running    int           // calls at a time of one principal; default 64
	Time       time.Duration // how long a call may take; default 60 s
}

func (l Limits) withDefaults() Limits {
	if l.ParamBytes == 0 {
		l.ParamBytes = 16 << 20
	}
	if l.Running == 0 {
		l.Running = 64
	}
	if l.Time == 0 {
		l.Time = time.Minute
	}
	return l
}

// Record is what the audit is told of a call.
type Record struct {
	At      time.Time
	Took    time.Duration
	Call    Call
	Op      string
	Effect  Effect
	Right   kaijutsu.Right
	Params  json.RawMessage // as they came; not to be kept, and not to be shown
	Problem *Problem        // nil when it worked
	Err     error           // behind the problem
}

// Set is the operations of a server. It is safe for concurrent use.
type Set struct {
	gates Gates
	ops   []*Op // by name
	names map[string]*Op

	mu      sync.Mutex
	running map[kaijutsu.Principal]int // guarded by mu
}

// NewSet returns a set of operations behind gates. It panics when two
// operations have one name or one command.
func NewSet(gates Gates, ops ...*Op) *Set {
	if gates.Now == nil {
		gates.Now = time.Now
	}
	if gates.Log == nil {
		gates.Log = slog.New(slog.DiscardHandler)
	}
	gates.Limits = gates.Limits.withDefaults()
	s := &Set{gates: gates, ops: slices.Clone(ops), names: make(map[string]*Op, len(ops)), running: make(map[kaijutsu.Principal]int)}
	slices.SortFunc(s.ops, func(a, b *Op) int { return strings.Compare(a.Name, b.Name) })
	commands := make(map[string]string)
	for _, o := range s.ops {
		command := strings.Join(o.Command, " ")
		if s.names[o.Name] != nil || commands[command] != "" {
			panic(fmt.Sprintf("operation %q or command %q is defined twice", o.Name, command))
		}
		s.names[o.Name], commands[command] = o, o.Name
	}
	return s
}

// All returns every operation, by name. The caller must not change it.
func (s *Set) All() []*Op { return s.ops }

// List returns the operations that are there for a caller, by name.
func (s *Set) List(c Call) []*Op {
	return slices.DeleteFunc(slices.Clone(s.ops), func(o *Op) bool { return !s.there(c, o) })
}

// there is the filter: what one list denies, no other list gives back.
func (s *Set) there(c Call, o *Op) bool {
	return !Denied(s.gates.Deny, o.Name) && !Denied(c.Deny, o.Name) && c.Bounds.offers(o.Name)
}

// Get returns an operation that is there for a caller. The error wraps
// kaijutsu.ErrNotFound.
func (s *Set) Get(c Call, name string) (*Op, error) {
	if o := s.names[name]; o != nil && s.there(c, o) {
		return o, nil
	}
	list := s.List(c)
	names := make([]string, len(list))
	for i, o := range list {
		names[i] = o.Name
	}
	if near := Nearest(name, names); near != "" {
		return nil, fmt.Errorf("operation %.64q: %w; did you mean %q?", name, kaijutsu.ErrNotFound, near)
	}
	return nil, fmt.Errorf("operation %.64q: %w; there are %s", name, kaijutsu.ErrNotFound, strings.Join(names, ", "))
}

// Instead says what there is instead of an operation or family that a list
// denies; it returns "" when there is such an operation.
func (s *Set) Instead(denied string) string {
	names := make([]string, len(s.ops))
	for i, o := range s.ops {
		if names[i] = o.Name; Denied([]string{denied}, o.Name) {
			return ""
		}
	}
	if near := Nearest(denied, names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "there are " + strings.Join(names, ", ")
}

// Call runs an operation: params is a JSON object, and so is the result. The
// error is one that ProblemOf knows.
func (s *Set) Call(ctx context.Context, c Call, name string, params json.RawMessage) (json.RawMessage, error) {
	from, observed := s.gates.Now(), func(Record) {}
	if s.gates.Observe != nil {
		ctx, observed = s.gates.Observe(ctx, c, name)
	}
	o, result, err := s.pass(ctx, c, name, params)
	if err != nil {
		if o != nil {
			err = o.name(err)
		}
		if cause := context.Cause(ctx); errors.Is(err, context.Canceled) && (errors.Is(cause, kaijutsu.ErrDenied) || errors.Is(cause, kaijutsu.ErrUnavailable)) {
			err = fmt.Errorf("%s: %w", name, cause) // the token ended meanwhile, or the server
		}
		err = s.settle(c, name, err)
	}
	r := s.record(from, c, name, o, params, err)
	observed(r)
	if s.gates.Audit != nil {
		s.gates.Audit(r)
	}
	return result, err
}

// pass takes a call through the gates.
func (s *Set) pass(ctx context.Context, c Call, name string, params json.RawMessage) (*Op, json.RawMessage, error) {
	if c.By.IsZero() {
		return nil, nil, fmt.Errorf("nobody asks: %w: log in or pass a token", kaijutsu.ErrDenied)
	}
	o, err := s.Get(c, name)
	if err != nil {
		return nil, nil, err
	}
	if o.Scope == OnKernel && c.Right < o.Right {
		return o, nil, fmt.Errorf("%s: %w: it takes the role %s on the kernel, %s has %s", name, kaijutsu.ErrDenied, o.Right, c.By.Name, c.Right)
	}
	if len(params) > s.gates.Limits.ParamBytes {
		return o, nil, fmt.Errorf("%s: parameters of %d bytes: at most %d: %w", name, len(params), s.gates.Limits.ParamBytes, kaijutsu.ErrTooLarge)
	}
	if s.gates.Admit != nil {
		if err := s.gates.Admit(c, &o.Spec); err != nil {
			return o, nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := s.enter(c.By); err != nil {
		return o, nil, fmt.Errorf("%s: %w", name, err)
	}
	defer s.leave(c.By)
	ctx, cancel := context.WithTimeout(ctx, s.gates.Limits.Time)
	defer cancel()
	result, err := s.guarded(o, request{ctx, c, params})
	return o, result, err
}

// guarded runs the operation; a panic in it is an internal error.
func (s *Set) guarded(o *Op, r request) (result json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return o.run(s, r)
}

// enter counts a call of a principal.
func (s *Set) enter(by kaijutsu.Principal) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[by] >= s.gates.Limits.Running {
		return crowded{fmt.Errorf("%s has %d calls under way already: %w: wait for one to end", by.Name, s.running[by], kaijutsu.ErrUnavailable)}
	}
	s.running[by]++
	return nil
}

// crowded is an error that a little patience mends.
type crowded struct{ error }

// Unwrap returns the error.
func (e crowded) Unwrap() error { return e.error }

// RetryAfter is when it makes sense to try again.
func (crowded) RetryAfter() time.Duration { return time.Second }

func (s *Set) leave(by kaijutsu.Principal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[by]--; s.running[by] == 0 {
		delete(s.running, by)
	}
}

// settle turns an error into one that doors may show.
func (s *Set) settle(c Call, name string, err error) error {
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%s: the caller went away: %w", name, kaijutsu.ErrUnavailable)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: not done after %v: %w: ask for less at a time", name, s.gates.Limits.Time, kaijutsu.ErrUnavailable)
	case ProblemOf(err).Kind != KindInternal:
		return err
	}
	inner := newInternal(err)
	s.gates.Log.Error("operation failed", "op", name, "principal", c.By, "door", c.Door, "ref", inner.ref, "err", err)
	return inner
}

// record is what is told of a call.
func (s *Set) record(from time.Time, c Call, name string, o *Op, params json.RawMessage, err error) Record {
	r := Record{At: from, Took: s.gates.Now().Sub(from), Call: c, Op: name, Params: params, Err: err}
	if o != nil {
		r.Effect, r.Right = o.Effect, o.Right
	}
	if err != nil {
		p := ProblemOf(err)
		r.Problem = &p
	}
	return r
}
