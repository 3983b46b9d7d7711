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
)

// recordVersion is the version of every record that is written.
const recordVersion = 1

// The prefixes of the records' names.
const (
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

// put makes a record durable, also when the caller has gone: memory follows.
func (t *Table) put(ctx context.Context, name string, row any) error {
	value, err := json.Marshal(row)
	if err != nil {
		return err
	}
	return t.store.PutRecord(context.WithoutCancel(ctx), name, value)
}

func (t *Table) putPrincipal(ctx context.Context, p *principal) error {
	return t.put(ctx, principalRecord+p.who.Name, principalRow{recordVersion, p.who.Kind, p.right.String(), p.deny})
}

func (t *Table) putToken(ctx context.Context, k *token) error {
	return t.put(ctx, tokenRecord+k.ID, tokenRow{recordVersion, k.Principal.Name, hex.EncodeToString(k.hash[:]), whoRow(k.By), k.Created, k.Expires})
}

func (t *Table) putGrant(ctx context.Context, doc kaijutsu.DocumentID, g Grant) error {
	return t.put(ctx, grantName(doc, g.Principal.Name), grantRow{recordVersion, g.Right.String(), whoRow(g.By), g.At})
}

// load reads every record; principals first, the others name them.
func (t *Table) load() error {
	for _, part := range []struct {
		prefix string
		load   func(name string, value []byte) error
	}{{principalRecord, t.loadPrincipal}, {tokenRecord, t.loadToken}, {grantRecord, t.loadGrant}} {
		for name, err := range t.store.Records(part.prefix) {
			if err != nil {
				return err
			}
			value, err := t.store.Record(name)
			if err == nil {
				err = part.load(strings.TrimPrefix(name, part.prefix), value)
			}
			if err != nil {
				return fmt.Errorf("record %q: %w", name, err)
			}
		}
	}
	return nil
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

func (t *Table) loadPrincipal(name string, value []byte) error {
	var row principalRow
	if err := decode(value, &row); err != nil {
		return err
	}
	right, err := kaijutsu.ParseRole(row.Role)
	if err != nil {
		return err
	}
	t.principals[name] = &principal{kaijutsu.Principal{Name: name, Kind: row.Kind}, right, row.Deny}
	return nil
}

func (t *Table) loadToken(id string, value []byte) error {
	var row tokenRow
	if err := decode(value, &row); err != nil {
		return err
	}
	p := t.principals[row.Principal]
	if p == nil {
		return fmt.Errorf("there is no principal %q: %w", row.Principal, kaijutsu.ErrInvalid)
	}
	hash, err := hex.DecodeString(row.SHA256)
	if err != nil || len(hash) != sha256.Size {
		return fmt.Errorf("sha256: want %d hexadecimal digits: %w", 2*sha256.Size, kaijutsu.ErrInvalid)
	}
	t.addLocked(&token{hash: [sha256.Size]byte(hash), Token: Token{
		ID: id, Principal: p.who, By: kaijutsu.Principal(row.By), Created: row.Created, Expires: row.Expires,
	}})
	return nil
}

func (t *Table) loadGrant(name string, value []byte) error {
	var row grantRow
	if err := decode(value, &row); err != nil {
		return err
	}
	docText, who, _ := strings.Cut(name, "/")
	doc, err := kaijutsu.ParseDocumentID(docText)
	if err != nil {
		return err
	}
	right, err := kaijutsu.ParseRole(row.Role)
	if err != nil {
		return err
	}
	p := t.principals[who]
	if p == nil {
		return fmt.Errorf("there is no principal %q: %w", who, kaijutsu.ErrInvalid)
	}
	if t.grants[doc] == nil {
		t.grants[doc] = make(grantsOf)
	}
	t.grants[doc][who] = Grant{Principal: p.who, Right: right, By: kaijutsu.Principal(row.By), At: row.At}
	return nil
}
