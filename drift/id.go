package drift

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
)

// NewID returns a fresh UUIDv7 for a drift made at the time now. Ids sort by
// that time, to a quarter of a microsecond (RFC 9562 §6.2, method 3); two of
// the same moment sort by chance.
func NewID(now time.Time) string {
	var id [16]byte
	rand.Read(id[8:])
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(now.UnixMilli()))
	copy(id[:6], ms[2:])
	binary.BigEndian.PutUint16(id[6:], uint16(now.Nanosecond()%1e6*4096/1e6))
	return uuidText(id, 7)
}

// ParseID returns the id of a drift in lower case. Any UUID but the empty one
// will do, so that whoever makes one to repeat a push safely may use any
// generator. The error wraps kaijutsu.ErrInvalid.
func ParseID(s string) (string, error) {
	id, ok := uuidOf(strings.ToLower(s))
	if !ok || id == ([16]byte{}) {
		return "", kaijutsu.About("id", fmt.Errorf("drift id %.64q: want a UUID of 36 characters, such as a fresh UUIDv7: %w", s, kaijutsu.ErrInvalid))
	}
	return uuidText(id, 0), nil
}

// BlockID returns the id of the block that a drift becomes in a target: a
// UUIDv7 with the time bits of the drift's id and 74 bits of a SHA-256 over
// both ids. driftID is what ParseID returned; of any other text the time bits
// are the hash's too.
func BlockID(driftID string, target kaijutsu.DocumentID) blocks.ID {
	return derivedID("drift", driftID, target)
}

// CopyID is BlockID of a copy of a drift that is not its delivery: no index
// takes the block for a letter, an edge or a receipt.
func CopyID(driftID string, target kaijutsu.DocumentID) blocks.ID {
	return derivedID("drift copy", driftID, target)
}

func derivedID(what, driftID string, target kaijutsu.DocumentID) blocks.ID {
	sum := sha256.Sum256([]byte("kaijutsu " + what + " " + driftID + " " + target.String()))
	id := [16]byte(sum[:16])
	if d, ok := uuidOf(driftID); ok {
		copy(id[:6], d[:6])
	}
	return blocks.ID(uuidText(id, 7))
}

// Fingerprint returns 16 hexadecimal digits of the SHA-256 of a content in
// which runs of white space are one space and letters have no case: what two
// copies of one finding have in common. Characters are not normalised.
func Fingerprint(content string) string {
	folded := strings.Map(foldRune, strings.Join(strings.Fields(content), " "))
	sum := sha256.Sum256([]byte(folded))
	return hex.EncodeToString(sum[:8])
}

// uuidText writes a UUID. A version other than 0 is put into it, with the
// variant of RFC 9562.
func uuidText(id [16]byte, version byte) string {
	if version != 0 {
		id[6] = id[6]&0x0f | version<<4
		id[8] = id[8]&0x3f | 0x80
	}
	s := hex.EncodeToString(id[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

// uuidOf reads the lower-case text of a UUID.
func uuidOf(s string) (id [16]byte, ok bool) {
	if _, err := blocks.ParseID(s); err != nil {
		return id, false
	}
	_, err := hex.Decode(id[:], []byte(strings.ReplaceAll(s, "-", "")))
	return id, err == nil
}
