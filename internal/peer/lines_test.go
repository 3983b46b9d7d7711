package peer

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestLinesAreRationed(t *testing.T) {
	var out bytes.Buffer
	now := time.Unix(100, 0)
	l := lines{log: slog.New(slog.NewTextHandler(&out, nil)), now: func() time.Time { return now }}
	for range 1000 {
		l.info("connection closed")
	}
	if got := strings.Count(out.String(), "\n"); got != linesPerSecond {
		t.Errorf("lines in one second = %d, want %d", got, linesPerSecond)
	}
	now = now.Add(time.Second)
	l.info("connection closed")
	if !strings.HasSuffix(out.String(), "suppressed=980\n") {
		t.Errorf("the next line is %q, want it to tell of 980 suppressed ones", out.String()[strings.LastIndex(strings.TrimSpace(out.String()), "\n"):])
	}
}
