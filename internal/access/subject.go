package access

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/internal/records"
)

// subjectRecord is the prefix of the records of those for whom another
// authority vouches.
const subjectRecord = "access/subject/"

// maxVisitors bounds the tokens of other authorities that are in memory.
const maxVisitors = 20_000

// Subject is who somebody is to another authority: what OpenID Connect calls
// iss and sub. Together they are one person's for ever.
type Subject struct{ Issuer, ID string }

// subject is whom an authority vouches for. It is replaced, never changed.
type subject struct {
	Subject
	name  string         // the principal's
	right kaijutsu.Right // as the authority's word was mapped last
	at    time.Time      // when it came
	since time.Time      // what was given out until then is revoked
}

// live reports whether the authority's word counts.
func (s *subject) live() bool { return s.at.After(s.since) }

// Visitor is somebody for whom another authority vouches, and how.
type Visitor struct {
	Subject
	// Name is the principal's, when it is not known yet.
	Name string
	Kind kaijutsu.PrincipalKind // default person
	// Right is the role on the kernel that the authority's word stands for. It
	// counts when it is another than the last time: roles that owners set in
	// between stay.
	Right kaijutsu.Right
	// Email is an address that the authority has checked; may be empty. Who has
	// it on record from an owner of the kernel is the principal.
	Email string
	// Issued is when the word was given, to the second.
	Issued time.Time
	// Via names the authority's protocol: "oidc".
	Via string
}

// Welcome returns the principal that somebody is for whom another authority
// vouches, and makes it when there is none. The error wraps kaijutsu.ErrDenied
// when what the authority gave out then was revoked, and ErrConflict when the
// name is somebody else's.
func (t *Table) Welcome(ctx context.Context, v Visitor) (kaijutsu.Principal, error) {
	if v.Kind == "" {
		v.Kind = kaijutsu.Person
	}
	leave, err := t.write(ctx)
	if err != nil {
		return kaijutsu.Principal{}, err
	}
	defer leave()
	t.mu.RLock()
	was := t.subjects[t.bound[v.Subject]]
	t.mu.RUnlock()
	if was != nil && !v.Issued.After(was.since) {
		return kaijutsu.Principal{}, fmt.Errorf("what %s was given before %s was revoked: %w: log in again", was.name, was.since.Format(time.RFC3339), kaijutsu.ErrDenied)
	}
	next := &subject{Subject: v.Subject, right: v.Right, at: t.now().UTC().Truncate(time.Millisecond)}
	var rs []records.Record
	var who *principal
	if was != nil {
		next.name, next.since = was.name, was.since
		who, err = t.known(was.name)
	} else {
		who, err = t.newcomer(v)
	}
	if err != nil {
		return kaijutsu.Principal{}, err
	}
	next.name = who.who.Name
	if was != nil && was.right == v.Right && was.live() {
		return who.who, nil
	}
	if was != nil && was.right != v.Right {
		who = &principal{who.who, v.Right, who.deny}
	}
	if !next.at.After(next.since) {
		next.at = next.since.Add(time.Millisecond)
	}
	if !t.is(who) {
		rs = append(rs, recordOfPrincipal(who))
	}
	if err := t.put(ctx, who.who, append(rs, recordOfSubject(next))...); err != nil {
		return kaijutsu.Principal{}, fmt.Errorf("note who %s is: %w", next.name, err)
	}
	return who.who, nil
}

// newcomer returns the principal that somebody becomes who was never here.
func (t *Table) newcomer(v Visitor) (*principal, error) {
	if v.Email != "" {
		for _, i := range t.Identities() {
			if i.Confirmed && strings.EqualFold(i.Email, v.Email) && i.Of.Kind == v.Kind {
				return t.unclaimed(i.Of.Name)
			}
		}
	}
	if err := errors.Join(checkName(v.Name), checkReserved(v.Name)); err != nil {
		return nil, err
	}
	if _, taken := t.owners[v.Name]; taken {
		return nil, fmt.Errorf("name %q is the kernel owner's own: %w: have the provider give another", v.Name, kaijutsu.ErrConflict)
	}
	t.mu.RLock()
	known := t.principals[v.Name]
	t.mu.RUnlock()
	if known != nil {
		return nil, fmt.Errorf("%q is somebody here already: %w: if it is the same, have an owner put the address %s on record with identity_set", v.Name, kaijutsu.ErrConflict, v.Email)
	}
	return &principal{who: kaijutsu.Principal{Name: v.Name, Kind: v.Kind}, right: v.Right}, nil
}

// unclaimed returns a principal that is here and no other subject's.
func (t *Table) unclaimed(name string) (*principal, error) {
	t.mu.RLock()
	other := t.subjects[name]
	t.mu.RUnlock()
	if other != nil {
		return nil, fmt.Errorf("%q is another subject of %s: %w", name, other.Issuer, kaijutsu.ErrConflict)
	}
	return t.known(name)
}

// Admit takes a token that another authority gave to somebody, until it
// expires: it is in memory, and identifies them as one of ours does. Revoke
// ends it by its id or the principal's name, with all that the authority gave
// them before. The error is one of Welcome, or wraps kaijutsu.ErrUnavailable
// when there are too many.
func (t *Table) Admit(ctx context.Context, v Visitor, secret string, expires time.Time) (Identity, error) {
	who, err := t.Welcome(ctx, v)
	if err != nil {
		return Identity{}, err
	}
	k := &token{hash: sha256.Sum256([]byte(secret)), issued: v.Issued, Token: Token{
		ID: v.Via + "-" + newID(), Principal: who, By: who, Created: v.Issued.UTC(), Expires: expires.UTC(), Via: v.Via,
	}}
	if err := t.admit(k); err != nil {
		return Identity{}, err
	}
	return t.Identify(secret)
}

func (t *Table) admit(k *token) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.secrets[k.hash] != nil {
		return nil // another request of theirs was first
	}
	if t.visitors >= maxVisitors {
		for _, o := range t.tokens {
			if !o.issued.IsZero() && o.expired(t.now()) {
				t.dropVisitorLocked(o)
			}
		}
	}
	if t.visitors >= maxVisitors {
		return fmt.Errorf("%d tokens of other authorities are in use: %w: log in by a browser, or try later", t.visitors, kaijutsu.ErrUnavailable)
	}
	if s := t.subjects[k.Principal.Name]; s == nil || !k.issued.After(s.since) {
		return fmt.Errorf("the token was revoked: %w: log in again", kaijutsu.ErrDenied)
	}
	t.visitors++
	t.addLocked(k)
	return nil
}

func (t *Table) dropVisitorLocked(k *token) []func() {
	t.visitors--
	t.removeLocked(k)
	return t.endLocked(k, nil)
}

// sendAway revokes what other authorities gave to those whose tokens were
// found, or to a principal of this name, and returns the tokens that are on
// record, and the others, which are gone.
func (t *Table) sendAway(ctx context.Context, by kaijutsu.Principal, name string, found []*token) (rest []*token, gone []Token, known bool, err error) {
	known, err = t.sendAwayNamed(ctx, by, name)
	for _, k := range found {
		if k.issued.IsZero() {
			rest = append(rest, k)
			continue
		}
		t.mu.RLock()
		gone = append(gone, t.shownLocked(k))
		there := t.tokens[k.ID] == k
		t.mu.RUnlock()
		if there && err == nil {
			_, err = t.sendAwayNamed(ctx, by, k.Principal.Name)
		}
	}
	return rest, gone, known, err
}

// sendAwayNamed has what another authority gave somebody until now count no
// more, and reports whether there is such an authority.
func (t *Table) sendAwayNamed(ctx context.Context, by kaijutsu.Principal, name string) (known bool, err error) {
	t.mu.RLock()
	was := t.subjects[name]
	t.mu.RUnlock()
	if was == nil {
		return false, nil
	}
	next := *was
	next.since = t.now().UTC().Truncate(time.Millisecond)
	if !next.since.After(next.at) {
		next.since = next.at
	}
	if err := t.put(ctx, by, recordOfSubject(&next)); err != nil {
		return true, fmt.Errorf("revoke what %s was given: %w", name, err)
	}
	return true, nil
}

type subjectRow struct {
	V       int       `json:"v"`
	Issuer  string    `json:"issuer"`
	Subject string    `json:"subject"`
	Role    string    `json:"role"`
	At      time.Time `json:"at"`
	Since   time.Time `json:"revoked,omitzero"`
}

func recordOfSubject(s *subject) records.Record {
	return record(subjectRecord+s.name, subjectRow{recordVersion, s.Issuer, s.ID, s.right.String(), s.at, s.since})
}

func decodeSubject(name string, value []byte) (*subject, error) {
	var row subjectRow
	if err := decode(value, &row); err != nil {
		return nil, err
	}
	right, err := kaijutsu.ParseRole(row.Role)
	if err != nil {
		return nil, err
	}
	if row.Issuer == "" || row.Subject == "" {
		return nil, fmt.Errorf("it names nobody: %w", kaijutsu.ErrInvalid)
	}
	return &subject{Subject: Subject{row.Issuer, row.Subject}, name: name, right: right, at: row.At, since: row.Since}, nil
}

// followSubjectLocked takes over what is known of somebody for whom another
// authority vouches, and ends what was revoked with it.
func (t *Table) followSubjectLocked(name string, value []byte) (tell []func(), err error) {
	was := t.subjects[name]
	if was != nil {
		delete(t.subjects, name)
		delete(t.bound, was.Subject)
	}
	var next *subject
	if value != nil {
		next, err = decodeSubject(name, value)
	}
	if next != nil {
		t.subjects[name], t.bound[next.Subject] = next, name
	}
	for _, k := range t.keys[name] {
		if !k.issued.IsZero() && (next == nil || !k.issued.After(next.since)) {
			tell = append(tell, t.dropVisitorLocked(k)...)
		}
	}
	if was != nil && was.live() && (next == nil || !next.live()) {
		tell = append(tell, func() { t.change(kaijutsu.DocumentID{}) })
	}
	return tell, err
}
