package mounts

import (
	"fmt"
	"slices"
	"strings"

	"kaijutsu"
	"kaijutsu/internal/access"
	"kaijutsu/internal/op"
)

// honest takes out of a message what would speak in another's name: lines
// "Kaijutsu-…", which only we write; co-authors who are principals and have no
// share in the change; and who signs off and is not the caller. It returns what
// it took out. The first line stays as it is: it is no trailer.
//
// People whom the kernel does not know stay: the caller answers for them.
func (m *Mounts) honest(caller kaijutsu.Principal, message string, shares []kaijutsu.Principal) (kept string, out []string) {
	known := make(map[string][]kaijutsu.Principal)
	for _, id := range m.cfg.Access.Identities() {
		if id.Email != "" {
			email := strings.ToLower(id.Email)
			known[email] = append(known[email], id.Of)
		}
	}
	for _, p := range m.cfg.Access.Members() { // addresses that stand for none
		email := strings.ToLower(m.book.Signature(p.Principal).Email)
		known[email] = append(known[email], p.Principal)
	}
	// foreign reports whether a value has the address of somebody known, and of
	// nobody who may stand there.
	foreign := func(value string, may ...kaijutsu.Principal) bool {
		for _, word := range strings.FieldsFunc(strings.ToLower(value), func(r rune) bool { return strings.ContainsRune(" \t\r\n<>()[],;\"'", r) }) {
			of := known[word]
			ours := strings.HasSuffix(word, "@"+access.NoAddress)
			if (len(of) > 0 || ours) && !slices.ContainsFunc(of, func(p kaijutsu.Principal) bool { return slices.Contains(may, p) }) {
				return true
			}
		}
		return false
	}
	lines := strings.Split(message, "\n")
	var stay []string
	for i := 0; i < len(lines); {
		end := i + 1
		for i > 0 && end < len(lines) && strings.Trim(lines[end], " \t\r") != "" && strings.ContainsAny(lines[end][:1], " \t") {
			end++ // it goes on
		}
		whole := strings.Join(lines[i:end], " ")
		key, value, isTrailer := strings.Cut(whole, ":")
		key = strings.ToLower(strings.TrimSpace(key))
		drop := i > 0 && isTrailer && (strings.HasPrefix(key, "kaijutsu-") ||
			key == "co-authored-by" && foreign(value, append(shares, caller)...) ||
			key == "signed-off-by" && foreign(value, caller))
		if drop {
			out = append(out, strings.TrimSpace(whole))
		} else {
			stay = append(stay, lines[i:end]...)
		}
		i = end
	}
	return strings.Join(stay, "\n"), out
}

// vouch makes a message honest. The error says that nothing is left of it.
func (d *draft) vouch(m *Mounts, caller kaijutsu.Principal, message string) (string, error) {
	var shares []kaijutsu.Principal
	for _, s := range d.shares {
		if s.Chars > 0 && !s.By.IsZero() {
			shares = append(shares, s.By)
		}
	}
	kept, out := m.honest(caller, message, shares)
	if len(out) == 0 {
		return message, nil
	}
	if strings.TrimSpace(kept) == "" {
		return "", &op.FieldError{Field: "message", Reason: "it speaks in the name of others and says nothing else", Hint: "say what the commit does"}
	}
	d.notice = joined(d.notice, fmt.Sprintf("left out of the message, because it speaks in another's name: %s", cutText(strings.Join(out, "; "), 500)))
	return kept, nil
}
