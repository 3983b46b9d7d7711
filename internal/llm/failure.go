package llm

import (
	"fmt"
	"time"
)

// failure is what went wrong in one attempt. It wraps its kind.
type failure struct {
	kind  error
	text  string
	retry bool          // it may pass by itself
	after time.Duration // not to be tried again before; 0: nothing was said
	code  int           // the HTTP status; 0: none came
	swap  bool          // the server wants the limit of tokens under its other name
}

// final is a failure that trying again does not mend.
func final(kind error, format string, args ...any) *failure {
	return &failure{kind: kind, text: fmt.Sprintf(format, args...)}
}

// again is a failure that may pass by itself.
func again(kind error, format string, args ...any) *failure {
	return &failure{kind: kind, text: fmt.Sprintf(format, args...), retry: true}
}

func (f *failure) Error() string { return f.text + ": " + f.kind.Error() }

func (f *failure) Unwrap() error { return f.kind }
