package git

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
)

// Authorship is a note in the git-ai authorship format 3.0.0: which lines of
// the files of a commit were written by whom. Line numbers are those of the
// files in that commit.
type Authorship struct {
	Files []FileAttest
	Meta  AuthorshipMeta
}

// FileAttest names the writers of a file's lines. Where ranges of its entries
// overlap, the later entry counts.
type FileAttest struct {
	Path    string
	Entries []Attest
}

// Attest says that the writer with a key wrote the lines in the ranges. The key
// is HumanKey(…), or SessionKey(…) + "::" + TraceKey(…), or of an older note 16
// hexadecimal digits.
type Attest struct {
	Key    string
	Ranges []LineRange
}

// LineRange is the lines First to Last, which count from 1.
type LineRange struct{ First, Last int }

// AuthorshipMeta is the second half of a note. Extra holds what the format
// does not name; it is kept as it is.
type AuthorshipMeta struct {
	Writer   string // git_ai_version: the program that wrote the note
	Base     Hash   // the commit that the note is about
	Prompts  map[string]json.RawMessage
	Humans   map[string]Human
	Sessions map[string]Session
	Extra    map[string]json.RawMessage
}

// Human is a known person: "Name <email>".
type Human struct {
	Author string
	Extra  map[string]json.RawMessage
}

// Session is a conversation with an agent, or an agent at work.
type Session struct {
	Tool, ID, Model string
	HumanAuthor     string // who directed it; "" unknown
	Attributes      map[string]string
	Extra           map[string]json.RawMessage
	AgentExtra      map[string]json.RawMessage // of its agent_id
}

// HumanKey returns the key of a person, whose identity is "Name <email>".
func HumanKey(identity string) string { return "h_" + digest14(identity) }

// SessionKey returns the key of what the agent named tool did in the
// conversation id.
func SessionKey(tool, id string) string { return "s_" + digest14(tool+":"+id) }

// TraceKey returns the part after "::" in an attestation: the first 14 of the
// hexadecimal digits in seed, or 14 digits that follow from it.
func TraceKey(seed string) string {
	if len(seed) >= 14 && strings.Trim(seed[:14], "0123456789abcdef") == "" {
		return "t_" + seed[:14]
	}
	return "t_" + digest14(seed)
}

func digest14(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:7])
}

// KeyAt returns the key of who wrote a line, which counts from 1; "" if the
// note does not say.
func (a Authorship) KeyAt(path string, line int) string {
	for _, f := range a.Files {
		if f.Path != path {
			continue
		}
		for _, e := range slices.Backward(f.Entries) {
			for _, r := range e.Ranges {
				if r.First <= line && line <= r.Last {
					return e.Key
				}
			}
		}
	}
	return ""
}

// Human returns the person whom an attestation's key names.
func (a Authorship) Human(key string) (Human, bool) {
	h, ok := a.Meta.Humans[key]
	return h, ok
}

// Session returns the session that an attestation's key names, with or without
// its trace.
func (a Authorship) Session(key string) (Session, bool) {
	key, _, _ = strings.Cut(key, "::")
	s, ok := a.Meta.Sessions[key]
	return s, ok
}
