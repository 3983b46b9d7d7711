package flowbus

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"

	"kaijutsu"
)

// MaxMessage is how many bytes of data one message can carry.
const MaxMessage = 512 << 10

// maxPayload is what NATS has to take: data and headers.
const maxPayload = MaxMessage + 4096

// Schema is the version of everything that nodes send each other. A message of
// another schema is refused.
const Schema = 1

const (
	headerSchema = "Kj-Schema"
	headerNode   = "Kj-Node"
	headerID     = "Nats-Msg-Id"
	headerStatus = "Status"
)

const maxSubjectChars = 256

// Message is one core message or question of another node.
type Message struct {
	Subject string // below kj.<kernel>.
	Node    string // who sent it
	Data    []byte // the receiver may keep it
}

// subject returns the whole subject of one below kj.<kernel>.
func (b *Bus) subject(below string, wild bool) (string, error) {
	if err := checkSubject(below, wild); err != nil {
		return "", err
	}
	return b.prefix + below, nil
}

// checkSubject refuses what NATS would take for something else.
func checkSubject(s string, wild bool) error {
	if s == "" || len(s) > maxSubjectChars {
		return fmt.Errorf("subject of %d characters: want 1 to %d: %w", len(s), maxSubjectChars, kaijutsu.ErrInvalid)
	}
	rest, more := s, true
	for more {
		var token string
		token, rest, more = strings.Cut(rest, ".")
		switch {
		case token == "":
			return fmt.Errorf("subject %q has an empty token: %w", s, kaijutsu.ErrInvalid)
		case token == "*" && wild, token == ">" && wild && !more:
		case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r == '*' || r == '>' || r == 0x7f || r == 0xfffd }):
			return fmt.Errorf("subject %q: a token holds a character that cannot be in one: %w", s, kaijutsu.ErrInvalid)
		}
	}
	return nil
}

// message returns a message of this node.
func (b *Bus) message(subject string, data []byte) *nats.Msg {
	return &nats.Msg{Subject: subject, Data: data, Header: nats.Header{
		headerSchema: {strconv.Itoa(Schema)},
		headerNode:   {b.cfg.Node},
	}}
}

func checkSize(what string, data []byte) error {
	if len(data) > MaxMessage {
		return fmt.Errorf("%s of %d bytes: want at most %d: %w", what, len(data), MaxMessage, kaijutsu.ErrTooLarge)
	}
	return nil
}

// first returns a header without the canonical form that Header.Get gives it.
func first(m *nats.Msg, key string) string {
	if v := m.Header[key]; len(v) > 0 {
		return v[0]
	}
	return ""
}
