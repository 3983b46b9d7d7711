package store

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"syscall"
)

// badgerLog passes Badger's complaints on and keeps its chatter for debugging.
// What its goroutines could not write is told in no other way.
type badgerLog struct {
	log    *slog.Logger
	failed func(error)
}

func (l badgerLog) Errorf(format string, args ...any) {
	l.log.Error("badger: " + tidy(format, args))
	l.hear(args)
}

func (l badgerLog) Warningf(format string, args ...any) {
	l.log.Warn("badger: " + tidy(format, args))
	l.hear(args)
}

func (l badgerLog) Infof(format string, args ...any) {
	l.log.Debug("badger: " + tidy(format, args))
}

// Debugf drops Badger's debug lines: there is one for every write.
func (l badgerLog) Debugf(string, ...any) {}

// hear passes on what the system said, in whatever words Badger puts it.
func (l badgerLog) hear(args []any) {
	for _, arg := range args {
		var errno syscall.Errno
		if err, ok := arg.(error); ok && errors.As(err, &errno) && l.failed != nil {
			l.failed(errno)
		}
	}
}

func tidy(format string, args []any) string {
	return oneLine(fmt.Sprintf(format, args...))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
