package authorship

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/git"
	"kaijutsu/internal/access"
)

// Signed is a principal and its signature in git.
type Signed struct {
	By kaijutsu.Principal
	git.Signature
}

// Signature returns how a principal signs in git, now: by the full name and the
// address on record, else by its own name and an address that stands for none.
func (b *Book) Signature(of kaijutsu.Principal) git.Signature {
	p, _ := b.cfg.Access.Identity(of)
	s := git.Signature{Name: tidy(p.Name), Email: p.Email, When: b.cfg.Now()}
	if s.Name == "" {
		s.Name = ownName(of.Name)
	}
	if s.Email == "" {
		s.Email = address(of.Name)
	}
	return s
}

// identityText is a signature without its time.
func identityText(s git.Signature) string { return fmt.Sprintf("%s <%s>", s.Name, s.Email) }

// ownName is what git can hold of a principal's name.
func ownName(name string) string {
	if t := tidy(name); t != "" {
		return t
	}
	local, _, _ := strings.Cut(address(name), "@")
	return local
}

// tidy takes out what git would (ident.c: crud at the ends, angle brackets and
// line feeds anywhere).
func tidy(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '<' || r == '>' || unicode.IsControl(r) {
			return -1
		}
		return r
	}, name)
	return strings.Trim(name, " .,:;\"\\'")
}

// address returns the address that stands for a principal's name, from which
// named finds it again: what an address may not hold is written as %XX.
func address(name string) string {
	var s strings.Builder
	for i := range len(name) {
		c := name[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
			s.WriteByte(c)
		default:
			fmt.Fprintf(&s, "%%%02X", c)
		}
	}
	return s.String() + "@" + access.NoAddress
}

// named returns the name that an address stands for.
func named(email string) (string, bool) {
	local, domain, _ := strings.Cut(email, "@")
	if !strings.EqualFold(domain, access.NoAddress) {
		return "", false
	}
	var s strings.Builder
	for i := 0; i < len(local); i++ {
		c := local[i]
		if c == '%' && i+2 < len(local) {
			b, err := hex.DecodeString(local[i+1 : i+3])
			if err != nil {
				return "", false
			}
			c, i = b[0], i+2
		}
		s.WriteByte(c)
	}
	name := s.String()
	return name, isName(name) && address(name) == local+"@"+access.NoAddress
}

// isName reports whether a foreign text may stand for a principal's name.
func isName(name string) bool {
	return name != "" && len(name) <= 64 && utf8.ValidString(name) && !access.Reserved(name) &&
		strings.TrimSpace(name) == name && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}

// signatories finds principals by how they sign.
type signatories struct {
	book    *Book
	byEmail map[string][]access.Identified // by the address in lower case
}

// signatories returns who signs how, now. Of principals that share an address
// those come first to whom an owner gave it, then people, then the first name.
func (b *Book) signatories() signatories {
	s := signatories{b, make(map[string][]access.Identified)}
	for _, id := range b.cfg.Access.Identities() { // by kind and name
		if email := strings.ToLower(id.Email); email != "" {
			s.byEmail[email] = append(s.byEmail[email], id)
		}
	}
	for _, ids := range s.byEmail {
		slices.SortStableFunc(ids, func(a, b access.Identified) int { return weight(a) - weight(b) })
	}
	return s
}

func weight(id access.Identified) int {
	switch {
	case id.Confirmed && id.Of.Kind == kaijutsu.Person:
		return 0
	case id.Confirmed:
		return 1
	}
	return 2
}

// find returns who signed by an address at a time; zero: nobody known here. An
// address that somebody put on record without an owner of the kernel is a
// person's from then on, and never an agent's: else history would be theirs
// who claim it.
func (s signatories) find(email string, at time.Time) kaijutsu.Principal {
	for _, id := range s.byEmail[strings.ToLower(email)] {
		if id.Confirmed || id.Of.Kind == kaijutsu.Person && !at.Before(id.Since.Truncate(time.Second)) {
			return id.Of
		}
	}
	name, ok := named(email)
	if !ok {
		return kaijutsu.Principal{}
	}
	if m, ok := s.book.cfg.Access.Member(name); ok {
		return m.Principal
	}
	return kaijutsu.Principal{}
}

// signs reports whether an address is a principal's, on record or by its name.
func (s signatories) signs(by kaijutsu.Principal, email string) bool {
	return slices.ContainsFunc(s.byEmail[strings.ToLower(email)], func(id access.Identified) bool { return id.Of == by }) ||
		strings.EqualFold(email, address(by.Name))
}

// emailIn returns the address in "Name <email>".
func emailIn(identity string) string {
	at := strings.LastIndexByte(identity, '<')
	if at < 0 || !strings.HasSuffix(identity, ">") {
		return ""
	}
	return identity[at+1 : len(identity)-1]
}
