package kaijutsu

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"
	"time"
)

// maxDocumentIDChars bounds the text form before any work is done on it.
const maxDocumentIDChars = 64

// DocumentID names an automerge-repo document: 16 bytes (a UUID), or 32 from
// clients with an id factory of their own. It is comparable; the zero value
// names nothing.
type DocumentID struct{ raw string }

// DocumentIDFromBytes returns the id of 16 or 32 raw bytes.
func DocumentIDFromBytes(b []byte) (DocumentID, error) {
	if len(b) != 16 && len(b) != 32 {
		return DocumentID{}, fmt.Errorf("document id of %d bytes: want 16 or 32: %w", len(b), ErrInvalid)
	}
	return DocumentID{string(b)}, nil
}

// ParseDocumentID reads the bs58check text of an id, with or without the
// "automerge:" of a document URL.
func ParseDocumentID(s string) (DocumentID, error) {
	text := strings.TrimPrefix(s, "automerge:")
	if len(text) > maxDocumentIDChars {
		return DocumentID{}, fmt.Errorf("document id of %d characters: want at most %d: %w", len(text), maxDocumentIDChars, ErrInvalid)
	}
	b, err := DecodeBase58Check(text)
	if err != nil {
		return DocumentID{}, fmt.Errorf("document id %q: %w", s, err)
	}
	return DocumentIDFromBytes(b)
}

// Bytes returns a copy of the raw id.
func (d DocumentID) Bytes() []byte { return []byte(d.raw) }

// IsZero reports whether d names nothing.
func (d DocumentID) IsZero() bool { return d.raw == "" }

// String returns the bs58check text that automerge-repo puts on the wire.
func (d DocumentID) String() string { return EncodeBase58Check([]byte(d.raw)) }

// Name returns the id as people see it: the UUID of a context, which has 16
// bytes, and the text of String of any other document.
func (d DocumentID) Name() string {
	if len(d.raw) == len(ContextID{}) {
		return ContextID([]byte(d.raw)).String()
	}
	return d.String()
}

// Compare orders documents by their raw ids, and so contexts by the time they
// were made.
func (d DocumentID) Compare(o DocumentID) int { return strings.Compare(d.raw, o.raw) }

// URL returns the automerge-repo URL of the document.
func (d DocumentID) URL() string { return "automerge:" + d.String() }

// ContextID names a kernel context: a UUIDv7 that is also the id of the
// context's document. It is comparable and orders by time of creation.
type ContextID [16]byte

// NewContextID returns a fresh UUIDv7 (RFC 9562 §5.7) for the time now.
func NewContextID(now time.Time) ContextID {
	var c ContextID
	rand.Read(c[:])
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(now.UnixMilli()))
	copy(c[:6], ms[2:])
	c[6] = c[6]&0x0f | 0x70
	c[8] = c[8]&0x3f | 0x80
	return c
}

// ParseContextID reads the 36-character text that String writes.
func ParseContextID(s string) (ContextID, error) {
	var c ContextID
	b, err := hex.DecodeString(strings.ReplaceAll(s, "-", ""))
	if err != nil || len(b) != len(c) || len(s) != 36 {
		return c, fmt.Errorf("context id %q: want a UUID of 36 characters: %w", s, ErrInvalid)
	}
	copy(c[:], b)
	return c, nil
}

// Document returns the id of the context's document.
func (c ContextID) Document() DocumentID { return DocumentID{string(c[:])} }

// String returns the UUID's 36-character text.
func (c ContextID) String() string {
	s := hex.EncodeToString(c[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

const base58Alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// EncodeBase58Check returns base58(b followed by the first four bytes of its
// double SHA-256), Bitcoin's alphabet; leading zero bytes become '1'. It is
// how automerge-repo writes document ids and, in gossip and URLs, heads.
func EncodeBase58Check(b []byte) string {
	first := sha256.Sum256(b)
	sum := sha256.Sum256(first[:])
	full := append(append(make([]byte, 0, len(b)+4), b...), sum[:4]...)
	n := new(big.Int).SetBytes(full)
	var digits []byte
	for base, rest := big.NewInt(58), new(big.Int); n.Sign() > 0; {
		n.DivMod(n, base, rest)
		digits = append(digits, base58Alphabet[rest.Int64()])
	}
	for _, c := range full {
		if c != 0 {
			break
		}
		digits = append(digits, '1')
	}
	for i, j := 0, len(digits)-1; i < j; i, j = i+1, j-1 {
		digits[i], digits[j] = digits[j], digits[i]
	}
	return string(digits)
}

// DecodeBase58Check undoes EncodeBase58Check. The work is quadratic in len(s),
// so callers bound it.
func DecodeBase58Check(s string) ([]byte, error) {
	n, base := new(big.Int), big.NewInt(58)
	zeros := 0
	for i, c := range []byte(s) {
		v := strings.IndexByte(base58Alphabet, c)
		if v < 0 {
			return nil, fmt.Errorf("character %d is not base58: %w", i+1, ErrInvalid)
		}
		if v == 0 && zeros == i {
			zeros++
		}
		n.Add(n.Mul(n, base), big.NewInt(int64(v)))
	}
	full := append(make([]byte, zeros), n.Bytes()...)
	if len(full) < 4 {
		return nil, fmt.Errorf("too short to hold a checksum: %w", ErrInvalid)
	}
	b := full[:len(full)-4]
	first := sha256.Sum256(b)
	sum := sha256.Sum256(first[:])
	if string(sum[:4]) != string(full[len(full)-4:]) {
		return nil, fmt.Errorf("checksum does not match: %w", ErrInvalid)
	}
	return b, nil
}
