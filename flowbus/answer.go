package flowbus

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"kaijutsu"
)

// The answer to a question is a run of messages to the asker's inbox: "alive"
// at once and every second, numbered parts, and an end. Each tells how many
// parts were sent so far, so that the asker sees a hole; each names the inbox
// for the asker's word: "ack" with the number of parts it has dealt with, or
// "stop". At most answerWindow parts are sent ahead of the acks.
const (
	headerAnswer = "Kj-Answer" // alive, part, end; ack, stop the other way
	headerCount  = "Kj-Count"  // parts sent, or dealt with
	headerKind   = "Kj-Kind"   // of an end: ok, or the name of a sentinel
	headerError  = "Kj-Error"  // of an end: the text

	answerWindow  = 8
	ackEvery      = 4
	aliveEvery    = time.Second
	acceptWithin  = 3 * time.Second  // the first word of who answers
	silentFor     = 5 * time.Second  // then the answer broke off
	ackWithin     = 30 * time.Second // then the asker is gone
	maxErrorChars = 2048
)

// The sentinels that travel, by name.
var sentinels = []struct {
	name string
	err  error
}{
	{"not_found", kaijutsu.ErrNotFound},
	{"invalid", kaijutsu.ErrInvalid},
	{"conflict", kaijutsu.ErrConflict},
	{"denied", kaijutsu.ErrDenied},
	{"too_large", kaijutsu.ErrTooLarge},
	{"unavailable", kaijutsu.ErrUnavailable},
}

// word returns one message of an answer, in either direction.
func (b *Bus) word(to, answer string, count uint64, data []byte) *nats.Msg {
	m := b.message(to, data)
	m.Header[headerAnswer] = []string{answer}
	m.Header[headerCount] = []string{strconv.FormatUint(count, 10)}
	return m
}

// setError puts the outcome into an end.
func setError(m *nats.Msg, err error) {
	if err == nil {
		m.Header[headerKind] = []string{"ok"}
		return
	}
	kind := "error"
	for _, s := range sentinels {
		if errors.Is(err, s.err) {
			kind = s.name
			break
		}
	}
	text := strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, err.Error())
	if len(text) > maxErrorChars {
		text = strings.ToValidUTF8(text[:maxErrorChars], "")
	}
	m.Header[headerKind] = []string{kind}
	m.Header[headerError] = []string{text}
}

// getError returns the outcome that an end tells, which node gave.
func getError(m *nats.Msg, node string) error {
	kind := first(m, headerKind)
	if kind == "ok" {
		return nil
	}
	text := strings.ToValidUTF8(first(m, headerError), "")
	for _, s := range sentinels {
		if kind == s.name {
			return fmt.Errorf("node %s: %s: %w", node, strings.TrimSuffix(text, ": "+s.err.Error()), s.err)
		}
	}
	return fmt.Errorf("node %s: %s", node, text)
}

func count(m *nats.Msg) (uint64, bool) {
	n, err := strconv.ParseUint(first(m, headerCount), 10, 64)
	return n, err == nil
}
