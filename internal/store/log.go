package store

import (
	"fmt"
	"log/slog"
	"strings"
)

// badgerLog passes Badger's complaints on and keeps its chatter for debugging.
type badgerLog struct{ log *slog.Logger }

func (l badgerLog) Errorf(format string, args ...any) {
	l.log.Error("badger: " + tidy(format, args))
}

func (l badgerLog) Warningf(format string, args ...any) {
	l.log.Warn("badger: " + tidy(format, args))
}

func (l badgerLog) Infof(format string, args ...any) {
	l.log.Debug("badger: " + tidy(format, args))
}

// Debugf drops Badger's debug lines: there is one for every write.
func (l badgerLog) Debugf(string, ...any) {}

func tidy(format string, args []any) string {
	return oneLine(fmt.Sprintf(format, args...))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
