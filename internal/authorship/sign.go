package authorship

import (
	"encoding/hex"
	"fmt"
	"strings"
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
	byEmail map[string]kaijutsu.Principal // by the address in lower case
}

// signatories returns who signs how, now. Of principals that share an address a
// person counts before others, then the first name.
func (b *Book) signatories() signatories {
	s := signatories{b, make(map[string]kaijutsu.Principal)}
	for _, id := range b.cfg.Access.Identities() { // by kind and name
		email := strings.ToLower(id.Email)
		if email == "" {
			continue
		}
		if was, ok := s.byEmail[email]; !ok || was.Kind != kaijutsu.Person && id.Of.Kind == kaijutsu.Person {
			s.byEmail[email] = id.Of
		}
	}
	return s
}

// find returns who signs by an address; zero: nobody known here.
func (s signatories) find(email string) kaijutsu.Principal {
	if p, ok := s.byEmail[strings.ToLower(email)]; ok {
		return p
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

// emailIn returns the address in "Name <email>".
func emailIn(identity string) string {
	at := strings.LastIndexByte(identity, '<')
	if at < 0 || !strings.HasSuffix(identity, ">") {
		return ""
	}
	return identity[at+1 : len(identity)-1]
}
