package blocks

import (
	"crypto/sha256"
	"fmt"
	"time"

	"kaijutsu"
)

// ID names a block: the 36-character lower-case text of a UUID, version 7 when
// we make it. It is never a name of something else and never used again. The
// zero value names no block.
type ID string

// idChars is the length of an ID.
const idChars = 36

// pageCount is the number of pages of a context.
const pageCount = 64

// NewID returns a fresh UUIDv7 for the time now.
func NewID(now time.Time) ID { return ID(kaijutsu.NewContextID(now).String()) }

// ParseID returns s as an ID, or an error that wraps kaijutsu.ErrInvalid when
// it is not a UUID in lower-case text.
func ParseID(s string) (ID, error) {
	if !isID(s) {
		return "", fmt.Errorf("block id %.64q: want a UUID of %d lower-case characters: %w", s, idChars, kaijutsu.ErrInvalid)
	}
	return ID(s), nil
}

// Page returns the key of the page that holds the block, "00" to "3f".
func (id ID) Page() string { return pageName(pageOf(string(id))) }

// isID reports whether s is a UUID in lower-case text.
func isID(s string) bool {
	if len(s) != idChars {
		return false
	}
	for i := range idChars {
		c := s[i]
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
				return false
			}
		}
	}
	return true
}

// pageOf returns the number of the page that holds a block.
func pageOf(id string) uint8 {
	sum := sha256.Sum256([]byte(id))
	return sum[0] % pageCount
}

const hexDigits = "0123456789abcdef"

// pageName returns the key of a page.
func pageName(n uint8) string { return string([]byte{hexDigits[n>>4], hexDigits[n&15]}) }

// pageNumber undoes pageName; false for any other key.
func pageNumber(key string) (uint8, bool) {
	if len(key) != 2 {
		return 0, false
	}
	n := 0
	for _, c := range []byte(key) {
		switch {
		case c >= '0' && c <= '9':
			n = n<<4 | int(c-'0')
		case c >= 'a' && c <= 'f':
			n = n<<4 | int(c-'a'+10)
		default:
			return 0, false
		}
	}
	return uint8(n), n < pageCount
}
