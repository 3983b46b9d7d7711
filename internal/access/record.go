package access

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/internal/records"
)

// recordVersion is the version of every record that is written.
const recordVersion = 1

// The prefixes of the records' names.
const (
	anyRecord       = "access/"
	principalRecord = "access/principal/"
	tokenRecord     = "access/token/"
	grantRecord     = "access/grant/"
)

func grantName(doc kaijutsu.DocumentID, name string) string {
	return grantRecord + doc.String() + "/" + name
}

type principalRow struct {
	V    int                    `json:"v"`
	Kind kaijutsu.PrincipalKind `json:"kind"`
	Role string                 `json:"role"`
	Deny []string               `json:"deny,omitempty"`
}

type tokenRow struct {
	V         int       `json:"v"`
	Principal string    `json:"principal"`
	SHA256    string    `json:"sha256"`
	By        whoRow    `json:"by"`
	Created   time.Time `json:"created"`
	Expires   time.Time `json:"expires,omitzero"`

	Most     string    `json:"most,omitempty"` // a role
	Contexts []string  `json:"contexts,omitempty"`
	Only     []string  `json:"only,omitempty"`
	Deny     []string  `json:"deny,omitempty"`
	Doors    []string  `json:"doors,omitempty"`
	Via      string    `json:"via,omitempty"`
	Rotated  time.Time `json:"rotated,omitzero"`
	Former   string    `json:"former_sha256,omitempty"`
	Until    time.Time `json:"former_until,omitzero"`
}

type grantRow struct {
	V    int       `json:"v"`
	Role string    `json:"role"`
	By   whoRow    `json:"by"`
	At   time.Time `json:"at"`
}

type whoRow struct {
	Name string                 `json:"name"`
	Kind kaijutsu.PrincipalKind `json:"kind"`
}

// write waits for the caller's turn to write; the caller calls leave.
func (t *Table) write(ctx context.Context) (leave func(), err error) {
	select {
	case t.writing <- struct{}{}:
		return func() { <-t.writing }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// put writes records, also when the caller has gone. When it returns, they are
// on disk and memory has followed.
func (t *Table) put(ctx context.Context, by kaijutsu.Principal, rs ...records.Record) error {
	return t.records.Write(context.WithoutCancel(ctx), by, rs...)
}

// record returns a record with a row as its value.
func record(name string, row any) records.Record {
	value, err := json.Marshal(row)
	if err != nil {
		panic("access: a row that is no JSON: " + err.Error()) // rows are our own, of plain fields
	}
	return records.Record{Name: name, Value: value}
}

func recordOfPrincipal(p *principal) records.Record {
	return record(principalRecord+p.who.Name, principalRow{recordVersion, p.who.Kind, p.right.String(), p.deny})
}

func recordOfToken(k *token) records.Record {
	row := tokenRow{
		V: recordVersion, Principal: k.Principal.Name, SHA256: hex.EncodeToString(k.hash[:]), By: whoRow(k.By), Created: k.Created, Expires: k.Expires,
		Only: k.Scope.Only, Deny: k.Scope.Deny, Doors: k.Scope.Doors, Via: k.Via, Rotated: k.Rotated, Until: k.Former,
	}
	if k.Scope.Most != kaijutsu.RightNone {
		row.Most = k.Scope.Most.String()
	}
	for _, doc := range k.Scope.Contexts {
		row.Contexts = append(row.Contexts, doc.String())
	}
	if !k.Former.IsZero() {
		row.Former = hex.EncodeToString(k.former[:])
	}
	return record(tokenRecord+k.ID, row)
}

func recordOfGrant(doc kaijutsu.DocumentID, g Grant) records.Record {
	return record(grantName(doc, g.Principal.Name), grantRow{recordVersion, g.Right.String(), whoRow(g.By), g.At})
}

// decode reads a record of our version; nothing in it is passed over.
func decode(value []byte, into any) error {
	var v struct {
		V int `json:"v"`
	}
	if err := json.Unmarshal(value, &v); err != nil {
		return fmt.Errorf("%w: %w", err, kaijutsu.ErrInvalid)
	}
	if v.V != recordVersion {
		return fmt.Errorf("it is of version %d, this server reads %d: %w: a newer one has written it; run that", v.V, recordVersion, kaijutsu.ErrInvalid)
	}
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("%w: %w", err, kaijutsu.ErrInvalid)
	}
	return nil
}

func decodePrincipal(name string, value []byte) (*principal, error) {
	var row principalRow
	if err := decode(value, &row); err != nil {
		return nil, err
	}
	right, err := kaijutsu.ParseRole(row.Role)
	if err != nil {
		return nil, err
	}
	return &principal{kaijutsu.Principal{Name: name, Kind: row.Kind}, right, row.Deny}, nil
}

// decodeToken reads a token; the kind of its principal is not in it.
func decodeToken(id string, value []byte) (*token, error) {
	var row tokenRow
	if err := decode(value, &row); err != nil {
		return nil, err
	}
	k := &token{Token: Token{
		ID: id, Principal: kaijutsu.Principal{Name: row.Principal}, By: kaijutsu.Principal(row.By), Created: row.Created, Expires: row.Expires,
		Via: row.Via, Rotated: row.Rotated, Former: row.Until,
	}}
	var err error
	if k.hash, err = decodeHash("sha256", row.SHA256); err == nil && !row.Until.IsZero() {
		k.former, err = decodeHash("former_sha256", row.Former)
	}
	if err == nil {
		k.Scope, err = decodeScope(row)
	}
	if err != nil {
		return nil, err
	}
	return k, nil
}

func decodeHash(field, text string) ([sha256.Size]byte, error) {
	hash, err := hex.DecodeString(text)
	if err != nil || len(hash) != sha256.Size {
		return [sha256.Size]byte{}, fmt.Errorf("%s: want %d hexadecimal digits: %w", field, 2*sha256.Size, kaijutsu.ErrInvalid)
	}
	return [sha256.Size]byte(hash), nil
}

// decodeScope reads what a token narrows. What it does not understand is an
// error: a narrower that is passed over would be a right.
func decodeScope(row tokenRow) (s Scope, err error) {
	s = Scope{Only: row.Only, Deny: row.Deny, Doors: row.Doors}
	if row.Most != "" {
		if s.Most, err = kaijutsu.ParseRole(row.Most); err == nil && s.Most == kaijutsu.RightNone {
			err = fmt.Errorf("most: none is no limit: %w", kaijutsu.ErrInvalid)
		}
		if err != nil {
			return s, err
		}
	}
	for _, text := range row.Contexts {
		doc, err := kaijutsu.ParseDocumentID(text)
		if err != nil {
			return s, fmt.Errorf("contexts: %w", err)
		}
		s.Contexts = append(s.Contexts, doc)
	}
	return s, s.check()
}

// decodeGrantName reads the name of a grant's record: the document, and whose
// it is.
func decodeGrantName(name string) (doc kaijutsu.DocumentID, who string, err error) {
	docText, who, _ := strings.Cut(name, "/")
	doc, err = kaijutsu.ParseDocumentID(docText)
	return doc, who, err
}

// decodeGrant reads a grant; the kind of its principal is not in it.
func decodeGrant(who string, value []byte) (Grant, error) {
	var row grantRow
	if err := decode(value, &row); err != nil {
		return Grant{}, err
	}
	right, err := kaijutsu.ParseRole(row.Role)
	if err != nil {
		return Grant{}, err
	}
	return Grant{Principal: kaijutsu.Principal{Name: who}, Right: right, By: kaijutsu.Principal(row.By), At: row.At}, nil
}
