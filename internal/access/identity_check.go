package access

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// Limits of what an identity says, in bytes.
const (
	maxFullNameBytes = 128
	maxEmailBytes    = 254 // RFC 5321 §4.5.3.1.3 allows 256 with the angle brackets
	maxLocalBytes    = 64  // RFC 5321 §4.5.3.1.1
	maxModelBytes    = 200
	maxToolBytes     = 64
)

// NoAddress is the domain of the addresses that stand for principals without
// one; RFC 2606 §2 keeps "invalid" out of the real ones.
const NoAddress = "kaijutsu.invalid"

// emailForm is what the HTML standard takes for an address (§4.10.5.1.5, "valid
// email address"): what mail servers accept, without comments and quotes, which
// git could not hold.
var emailForm = regexp.MustCompile(`^[a-zA-Z0-9.!#$%&'*+/=?^_{|}~` + "`" + `-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$`)

// check holds an identity against the rules. The fields may be empty.
func (p Person) check() error {
	for _, f := range []struct {
		name, text string
		most       int
	}{{"name", p.Name, maxFullNameBytes}, {"email", p.Email, maxEmailBytes}, {"model", p.Model, maxModelBytes}, {"tool", p.Tool, maxToolBytes}} {
		if err := checkLine(f.name, f.text, f.most); err != nil {
			return err
		}
	}
	if p.Name != "" && strings.Trim(p.Name, crud) == "" {
		return &op.FieldError{Field: "name", Reason: fmt.Sprintf("git would keep nothing of %q", p.Name), Hint: "give it a letter"}
	}
	return checkEmail(p.Email)
}

// crud is what git takes off the ends of names (ident.c, strbuf_addstr_without_crud).
const crud = " .,:;<>\"\\'"

// checkLine accepts text that one line of a commit can hold.
func checkLine(field, text string, most int) error {
	bad := func(reason string) error {
		return &op.FieldError{Field: field, Reason: reason, Hint: fmt.Sprintf("want at most %d bytes that print, without < and > and without a space at the ends", most)}
	}
	switch {
	case len(text) > most:
		return bad(fmt.Sprintf("%d bytes are too many", len(text)))
	case !utf8.ValidString(text):
		return bad("it is not UTF-8")
	case strings.TrimSpace(text) != text:
		return bad(fmt.Sprintf("%q has a space at an end", text))
	case strings.ContainsAny(text, "<>"):
		return bad(fmt.Sprintf("%q holds an angle bracket", text))
	case strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }):
		return bad(fmt.Sprintf("%q holds a character that does not print", text))
	}
	return nil
}

func checkEmail(email string) error {
	if email == "" {
		return nil
	}
	local, domain, _ := strings.Cut(email, "@")
	hint := "want an address such as amy@example.org"
	if !emailForm.MatchString(email) || len(local) > maxLocalBytes {
		return &op.FieldError{Field: "email", Reason: fmt.Sprintf("%q is no address", email), Hint: hint}
	}
	if strings.EqualFold(domain, NoAddress) {
		return &op.FieldError{Field: "email", Reason: fmt.Sprintf("%s stands for principals without an address", NoAddress), Hint: hint + ", or none"}
	}
	return nil
}

// addressed returns who else has an address on record, the first by kind and
// name.
func (t *Table) addressed(than kaijutsu.Principal, email string) (kaijutsu.Principal, bool) {
	if email == "" {
		return kaijutsu.Principal{}, false
	}
	for _, p := range t.Identities() {
		if p.Of != than && strings.EqualFold(p.Email, email) {
			return p.Of, true
		}
	}
	return kaijutsu.Principal{}, false
}

// called returns who else goes by a name, on record or in the kernel; letters
// that look alike but for case and width, and what stands between them, do not
// tell names apart.
func (t *Table) called(than kaijutsu.Principal, name string) (kaijutsu.Principal, bool) {
	sound := folded(name)
	if sound == "" {
		return kaijutsu.Principal{}, false
	}
	for _, p := range t.Identities() {
		if p.Of != than && folded(p.Name) == sound {
			return p.Of, true
		}
	}
	for _, m := range t.Members() {
		if m.Principal != than && folded(m.Principal.Name) == sound {
			return m.Principal, true
		}
	}
	return kaijutsu.Principal{}, false
}

// folded returns the letters and digits of a name, in lower case and of the
// usual width.
func folded(name string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r >= 0xff01 && r <= 0xff5e { // fullwidth forms
			r -= 0xfee0
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return r
	}, name))
}
