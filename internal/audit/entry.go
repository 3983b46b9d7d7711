package audit

import (
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The outcomes.
const (
	Done    = "done"
	Refused = "refused" // for want of a right, or of a valid token
	Failed  = "failed"  // for another reason
)

// Entry is one line of the log. Empty fields do not apply.
type Entry struct {
	At        time.Time `json:"at"`
	Action    string    `json:"action"`              // an operation's name, or login, logout, connect, address, change, document, …
	Outcome   string    `json:"outcome"`             // Done, Refused or Failed
	Principal string    `json:"principal,omitempty"` // who; "" is nobody known
	Kind      string    `json:"kind,omitempty"`      // person, agent or service
	Token     string    `json:"token,omitempty"`     // its id
	Door      string    `json:"door,omitempty"`      // http, mcp, sync, page; "" the server itself
	From      string    `json:"from,omitempty"`      // network address
	// About says on what and whom: names, ids and roles, by parameter.
	About  map[string]string `json:"about,omitempty"`
	Reason string            `json:"reason,omitempty"`
	// Times says how often the same was refused since the entry before this one
	// of its sort; 0 stands for once.
	Times int `json:"times,omitempty"`
}

// Limits of an entry's fields in bytes.
const (
	maxField  = 256
	maxReason = 400
	maxAbout  = 16
)

// secretForm is what our own tokens look like, and JSON web tokens.
var secretForm = regexp.MustCompile(`kj_[A-Za-z0-9_-]{20,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_.-]+`)

// clean bounds an entry, and takes out what looks like a secret and what does
// not print.
func (e Entry) clean() Entry {
	e.Action, e.Outcome = line(e.Action, maxField), line(e.Outcome, maxField)
	e.Principal, e.Kind, e.Token = line(e.Principal, maxField), line(e.Kind, maxField), line(e.Token, maxField)
	e.Door, e.From, e.Reason = line(e.Door, maxField), line(e.From, maxField), line(e.Reason, maxReason)
	about := make(map[string]string, min(len(e.About), maxAbout))
	for k, v := range e.About {
		if len(about) < maxAbout {
			about[line(k, maxField)] = line(v, maxField)
		}
	}
	if e.About = nil; len(about) > 0 {
		e.About = about
	}
	return e
}

func line(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = secretForm.ReplaceAllString(s, "(a secret)")
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
	for len(s) > most {
		s = s[:most]
		for s != "" && !utf8.ValidString(s) {
			s = s[:len(s)-1]
		}
	}
	return s
}
