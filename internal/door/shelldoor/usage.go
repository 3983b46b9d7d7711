package shelldoor

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"kaijutsu/internal/op"
)

// UsageError is a command line that cannot be meant.
type UsageError struct {
	Err  error
	Path string // the command's words, "kj" among them
}

// Error returns the reason.
func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *UsageError) Unwrap() error { return e.Err }

// Usage marks an error as one of a command's line.
func Usage(cmd *cobra.Command, err error) error { return &UsageError{err, cmd.CommandPath()} }

// FlagError is what cobra is given to explain flags with
// (cobra.Command.SetFlagErrorFunc): an unknown one names the one that may have
// been meant.
func FlagError(cmd *cobra.Command, err error) error {
	var unknown interface {
		GetSpecifiedName() string
		GetSpecifiedShortnames() string
	}
	if errors.As(err, &unknown) && strings.HasPrefix(err.Error(), "unknown flag") {
		if near := op.Nearest(unknown.GetSpecifiedName(), flagNames(cmd)); near != "" {
			err = fmt.Errorf("there is no flag --%s; did you mean --%s?", unknown.GetSpecifiedName(), near)
		} else {
			err = fmt.Errorf("there is no flag --%s", unknown.GetSpecifiedName())
		}
	}
	return Usage(cmd, err)
}

var longFlag = regexp.MustCompile(`--([a-z][a-z-]+)`)

// flagNames returns the flags that a command takes.
func flagNames(cmd *cobra.Command) []string {
	var names []string
	for line := range strings.Lines(cmd.Flags().FlagUsages()) {
		if m := longFlag.FindStringSubmatch(line); m != nil {
			names = append(names, m[1])
		}
	}
	return names
}

// Failure is an answer of the server that is an error. It wraps the sentinel of
// its kind, so that op.ProblemOf knows its exit status.
type Failure struct{ Problem op.Problem }

// Error returns the message, without the hint that may end it.
func (f *Failure) Error() string {
	if f.Problem.Hint != "" {
		return strings.TrimSuffix(f.Problem.Message, "; "+f.Problem.Hint)
	}
	return f.Problem.Message
}

// Unwrap returns an error that wraps the kind's sentinel.
func (f *Failure) Unwrap() error { return f.Problem.Err() }

// withContextHint says how a line names the context that a drift leaves from or
// comes to, where it named none.
func (l *line) withContextHint(err error) error {
	var failure *Failure
	c := l.value("context")
	if l.op.Family() != "drift" || c == nil || c.set || l.context() != "" || !errors.As(err, &failure) || failure.Problem.Field != "context" {
		return err
	}
	p := failure.Problem
	p.Message, p.Hint = failure.Error(), "--context names it, and KJ_CONTEXT does for all commands: kj drift ls lists what there is"
	return &Failure{Problem: p}
}

// The exit statuses that no operation has.
const (
	ExitFailed = 1 // a command failed that is no operation
	ExitUsage  = 2 // the line cannot be meant
)

// Report returns how a command's error is shown on standard error, and the exit
// status: what op.Problem says for an operation. What others wrote is in it so
// that it cannot steer a terminal.
func Report(err error) (message string, exit int) {
	message, exit = report(err)
	return harmless(message), exit
}

func report(err error) (message string, exit int) {
	var usage *UsageError
	if errors.As(err, &usage) {
		return fmt.Sprintf("kj: %v\nhint: %s --help shows how\n", err, usage.Path), ExitUsage
	}
	var failure *Failure
	if errors.As(err, &failure) {
		message = fmt.Sprintf("kj: %v\n", err)
		if failure.Problem.Hint != "" {
			message += "hint: " + failure.Problem.Hint + "\n"
		}
		return message, op.ProblemOf(err).Exit
	}
	if p := op.ProblemOf(err); p.Kind != op.KindInternal {
		return fmt.Sprintf("kj: %v\n", err), p.Exit
	}
	return fmt.Sprintf("kj: %v\n", err), ExitFailed
}
