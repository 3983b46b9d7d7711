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
	return record(tokenRecord+k.ID, tokenRow{recordVersion, k.Principal.Name, hex.EncodeToString(k.hash[:]), whoRow(k.By), k.Created, k.Expires})
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
	hash, err := hex.DecodeString(row.SHA256)
	if err != nil || len(hash) != sha256.Size {
		return nil, fmt.Errorf("sha256: want %d hexadecimal digits: %w", 2*sha256.Size, kaijutsu.ErrInvalid)
	}
	return &token{hash: [sha256.Size]byte(hash), Token: Token{
		ID: id, Principal: kaijutsu.Principal{Name: row.Principal}, By: kaijutsu.Principal(row.By), Created: row.Created, Expires: row.Expires,
	}}, nil
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
