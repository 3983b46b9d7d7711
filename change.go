package kaijutsu

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// ChangeHash identifies an Automerge change: the SHA-256 of its uncompressed
// chunk from the type byte on (automerge binary format, "change hash").
type ChangeHash [32]byte

// ParseChangeHash reads the 64 hexadecimal digits that String writes.
func ParseChangeHash(s string) (ChangeHash, error) {
	var h ChangeHash
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(h) {
		return h, fmt.Errorf("change hash %q: want 64 hexadecimal digits: %w", s, ErrInvalid)
	}
	copy(h[:], b)
	return h, nil
}

// String returns the hash as 64 hexadecimal digits.
func (h ChangeHash) String() string { return hex.EncodeToString(h[:]) }

// Compare orders hashes bytewise, the order in which Automerge lists them.
func (h ChangeHash) Compare(o ChangeHash) int { return bytes.Compare(h[:], o[:]) }

// Heads are the changes of a document that no other change depends on,
// ascending and without duplicates. The zero value is the empty document.
type Heads []ChangeHash

// NewHeads returns the hashes sorted and without duplicates; it copies them.
func NewHeads(hashes ...ChangeHash) Heads {
	h := Heads(slices.Clone(hashes))
	slices.SortFunc(h, ChangeHash.Compare)
	return slices.Compact(h)
}

// Equal reports whether both hold the same hashes.
func (h Heads) Equal(o Heads) bool { return slices.Equal(h, o) }

// Contains reports whether hash is one of the heads.
func (h Heads) Contains(hash ChangeHash) bool {
	_, found := slices.BinarySearchFunc(h, hash, ChangeHash.Compare)
	return found
}

// Texts returns each hash as ChangeHash.String does; never nil.
func (h Heads) Texts() []string {
	texts := make([]string, len(h))
	for i, hash := range h {
		texts[i] = hash.String()
	}
	return texts
}

// ParseHeads reads what Texts returns. The error is ParseChangeHash's.
func ParseHeads(texts []string) (Heads, error) {
	hashes := make([]ChangeHash, len(texts))
	for i, text := range texts {
		var err error
		if hashes[i], err = ParseChangeHash(text); err != nil {
			return nil, err
		}
	}
	return NewHeads(hashes...), nil
}

// String lists the heads' first eight digits, for logs and errors.
func (h Heads) String() string {
	parts := make([]string, len(h))
	for i, hash := range h {
		parts[i] = hash.String()[:8]
	}
	return "[" + strings.Join(parts, " ") + "]"
}

// ActorID is the author id inside Automerge changes: 1 to 64 raw bytes, held
// in a string so that it compares and orders bytewise as Automerge does.
type ActorID string

// ParseActorID reads the hexadecimal digits that String writes.
func ParseActorID(s string) (ActorID, error) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) == 0 || len(b) > 64 {
		return "", fmt.Errorf("actor id %q: want 2 to 128 hexadecimal digits: %w", s, ErrInvalid)
	}
	return ActorID(b), nil
}

// String returns the actor id as hexadecimal digits.
func (a ActorID) String() string { return hex.EncodeToString([]byte(a)) }
