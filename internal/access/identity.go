package access

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/internal/op"
	"kaijutsu/internal/records"
)

// Person is how a principal signs outside of the kernel, in commits and in the
// notes of them. Each field may be empty: nothing is on record. It gives no
// right. Nobody checks that an address is its principal's; see Identified.
type Person struct {
	Name  string // the full name
	Email string
	Model string // what an agent runs on, wherever it works
	Tool  string // the program that an agent is
}

// IsZero reports whether nothing is on record.
func (p Person) IsZero() bool { return p == Person{} }

// Identified is a principal and how it signs.
type Identified struct {
	Of kaijutsu.Principal
	Person
	// Confirmed says that an owner of the kernel gave the address: then what
	// others signed by it, whenever, is the principal's. Otherwise it is the
	// principal's own word, since Since (zero without an address).
	Confirmed bool
	Since     time.Time
}

// Identity returns how a principal signs; false: nothing is on record.
func (t *Table) Identity(of kaijutsu.Principal) (Person, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	p, ok := t.identities[of]
	return p.Person, ok
}

// Identities returns everybody of whom something is on record, by kind and name.
func (t *Table) Identities() []Identified {
	t.mu.RLock()
	defer t.mu.RUnlock()
	all := make([]Identified, 0, len(t.identities))
	for _, p := range t.identities {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b Identified) int {
		return cmp.Or(strings.Compare(string(a.Of.Kind), string(b.Of.Kind)), strings.Compare(a.Of.Name, b.Of.Name))
	})
	return all
}

// SetIdentity says how a principal signs from now on; the zero Person takes
// back what is on record. Everybody may say it of themselves, and an owner of
// the kernel of all. An address or full name that another principal has, or
// goes by, is given to a second one by an owner only. The error wraps
// kaijutsu.ErrDenied, ErrNotFound when nobody is of this name and kind,
// ErrConflict for an address or full name that is another's, and ErrInvalid for
// what git or a note could not hold; those two say which field: name, email,
// model or tool.
func (t *Table) SetIdentity(ctx context.Context, by, of kaijutsu.Principal, p Person) error {
	if by.IsZero() {
		return fmt.Errorf("set the identity of %s: nobody asks: %w", of, kaijutsu.ErrDenied)
	}
	owns := t.Kernel(by) >= kaijutsu.RightOwn
	if by != of && !owns {
		return fmt.Errorf("set the identity of %s: %w: it is theirs, or an owner's of the kernel", of, kaijutsu.ErrDenied)
	}
	if err := p.check(); err != nil {
		return err
	}
	if Reserved(of.Name) {
		return fmt.Errorf("set the identity of %s: %w: it is a part of this server, which signs nothing", of, kaijutsu.ErrInvalid)
	}
	if m, ok := t.Member(of.Name); !ok || m.Principal != of {
		return fmt.Errorf("set the identity of %s: %w: nobody is of this name and kind; make it a token first", of, kaijutsu.ErrNotFound)
	}
	leave, err := t.write(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if !owns {
		if other, has := t.addressed(of, p.Email); has {
			return kaijutsu.About("email", fmt.Errorf("email: %s is on record for %s: %w: name another, or ask an owner of the kernel", p.Email, other, kaijutsu.ErrConflict))
		}
		if other, has := t.called(of, p.Name); has {
			return kaijutsu.About("name", fmt.Errorf("name: %s goes by %q: %w: name another, or ask an owner of the kernel", other, p.Name, kaijutsu.ErrConflict))
		}
	}
	r := records.Record{Name: identityName(of)}
	if !p.IsZero() {
		r = recordOfIdentity(t.identified(of, p, owns), by, t.now())
	}
	if err := t.put(ctx, by, r); err != nil {
		return fmt.Errorf("set the identity of %s: %w", of, err)
	}
	return nil
}

// identified returns what is to be on record: an address that stays the same
// keeps who gave it and when.
func (t *Table) identified(of kaijutsu.Principal, p Person, owns bool) Identified {
	t.mu.RLock()
	defer t.mu.RUnlock()
	i := Identified{Of: of, Person: p, Confirmed: owns}
	if was := t.identities[of]; p.Email != "" && strings.EqualFold(was.Email, p.Email) {
		i.Confirmed, i.Since = owns || was.Confirmed, was.Since
	}
	return i
}

// identityRecord is the prefix of the records of identities.
const identityRecord = "identity/"

func identityName(of kaijutsu.Principal) string {
	return identityRecord + string(of.Kind) + "/" + of.Name
}

// identityRow is the record of an identity.
type identityRow struct {
	V     int       `json:"v"`
	Name  string    `json:"name,omitempty"`
	Email string    `json:"email,omitempty"`
	Model string    `json:"model,omitempty"`
	Tool  string    `json:"tool,omitempty"`
	By    whoRow    `json:"by"`
	At    time.Time `json:"at"`
	// EmailAt is since when the address is on record; zero: since At.
	EmailAt     time.Time `json:"email_at,omitzero"`
	Unconfirmed bool      `json:"unconfirmed,omitempty"` // no owner gave the address
}

func recordOfIdentity(i Identified, by kaijutsu.Principal, at time.Time) records.Record {
	unconfirmed := i.Email != "" && !i.Confirmed
	return record(identityName(i.Of), identityRow{
		V: recordVersion, Name: i.Name, Email: i.Email, Model: i.Model, Tool: i.Tool, By: whoRow(by),
		At: at.UTC().Truncate(time.Millisecond), EmailAt: i.Since, Unconfirmed: unconfirmed,
	})
}

// decodeIdentity reads a record by its whole name. What another node writes is
// held against the same rules as what is written here.
func decodeIdentity(name string, value []byte) (Identified, error) {
	kind, who, _ := strings.Cut(strings.TrimPrefix(name, identityRecord), "/")
	i := Identified{Of: kaijutsu.Principal{Name: who, Kind: kaijutsu.PrincipalKind(kind)}}
	switch i.Of.Kind {
	case kaijutsu.Person, kaijutsu.Agent, kaijutsu.Service:
	default:
		return i, fmt.Errorf("%.64q is no kind of principal: %w", kind, kaijutsu.ErrInvalid)
	}
	if value == nil {
		return i, nil
	}
	if err := checkName(who); err != nil {
		return i, err
	}
	var row identityRow
	if err := decode(value, &row); err != nil {
		return i, err
	}
	i.Person = Person{row.Name, row.Email, row.Model, row.Tool}
	if i.Person.IsZero() {
		return i, fmt.Errorf("it says nothing: %w", kaijutsu.ErrInvalid)
	}
	if i.Email != "" {
		i.Confirmed, i.Since = !row.Unconfirmed, row.EmailAt
		if i.Since.IsZero() {
			i.Since = row.At
		}
	}
	return i, i.check()
}

// loadIdentities reads the identities and follows them from then on.
func (t *Table) loadIdentities() {
	for name, value := range t.records.All(identityRecord) {
		t.followIdentity(name, value)
	}
	t.records.Watch(identityRecord, t.followIdentity)
}

// followIdentity takes a record over, whoever has written it; nil: it is gone.
// One that cannot be read counts as none.
func (t *Table) followIdentity(name string, value []byte) {
	i, err := decodeIdentity(name, value)
	t.mu.Lock()
	delete(t.unread, name)
	delete(t.identities, i.Of)
	switch {
	case err != nil:
		t.unread[name] = err
	case value != nil:
		t.identities[i.Of] = i
	}
	t.mu.Unlock()
	if err != nil {
		t.log.Error("identity not read: it counts as none", "record", name, "err", err)
	}
}

// reserved are the names of what acts in the server by itself, with nobody's
// token.
var reserved = []string{"disk", "git", "kaijutsu"}

// Reserved reports whether a name is one that no token is made for: lines that
// came from a disk or out of git, and what the server writes itself, are signed
// by services of these names, and nobody else may sign so.
func Reserved(name string) bool { return slices.Contains(reserved, strings.ToLower(name)) }

// checkReserved refuses a name that no token is made for.
func checkReserved(name string) error {
	if Reserved(name) {
		return &op.FieldError{Field: "name", Reason: fmt.Sprintf("%q is what a part of this server signs by", name), Hint: "choose another"}
	}
	return nil
}
