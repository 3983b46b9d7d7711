package wire

import (
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/fxamacker/cbor/v2"

	"kaijutsu"
)

// item is one CBOR data item, as a piece of the frame. It is well formed: the
// frame was checked as a whole. Nil is an absent field.
type item []byte

// UnmarshalCBOR keeps the encoded item without copying it: the frame belongs
// to the caller of Decode.
func (it *item) UnmarshalCBOR(data []byte) error {
	*it = data
	return nil
}

// The major types of CBOR (RFC 8949 §3.1) that this package looks at.
const (
	majorUint   = 0
	majorBytes  = 2
	majorText   = 3
	majorMap    = 5
	majorTag    = 6
	majorSimple = 7

	simpleFalse     = 20
	simpleTrue      = 21
	simpleNull      = 22
	simpleUndefined = 23

	infoFloat16 = 25
	infoFloat32 = 26
	infoFloat64 = 27
	infoIndef   = 31

	// tagUint8Array is how older clients mark byte strings (RFC 8746 §2.1).
	tagUint8Array = 64
)

// head splits an item into its major type, the low five bits of its first
// byte, its argument and what follows.
func (it item) head() (major, info byte, arg uint64, rest item) {
	major, info, rest = it[0]>>5, it[0]&31, it[1:]
	switch info {
	case 24:
		return major, info, uint64(rest[0]), rest[1:]
	case 25:
		return major, info, uint64(binary.BigEndian.Uint16(rest)), rest[2:]
	case 26:
		return major, info, uint64(binary.BigEndian.Uint32(rest)), rest[4:]
	case 27:
		return major, info, binary.BigEndian.Uint64(rest), rest[8:]
	}
	return major, info, uint64(info), rest
}

// absent reports whether the field is missing, null or undefined.
func (it item) absent() bool {
	if len(it) == 0 {
		return true
	}
	major, _, arg, rest := it.head()
	return major == majorSimple && len(rest) == 0 && (arg == simpleNull || arg == simpleUndefined)
}

// text reads a text string of at most limit bytes.
func (it item) text(limit int) (string, error) {
	if it.absent() {
		return "", errAbsent
	}
	major, info, n, rest := it.head()
	switch {
	case major != majorText:
		return "", badType("a text string")
	case info == infoIndef:
		var s string
		if err := frameMode.Unmarshal(it, &s); err != nil {
			return "", fmt.Errorf("%w: %w", err, kaijutsu.ErrInvalid)
		}
		if len(s) > limit {
			return "", tooLong(len(s), limit, "bytes")
		}
		return s, nil
	case n > uint64(limit):
		return "", tooLong(len(rest), limit, "bytes")
	case !utf8.Valid(rest):
		return "", badType("valid UTF-8")
	}
	return string(rest), nil
}

// name is text that must not be empty.
func (it item) name(limit int) (string, error) {
	s, err := it.text(limit)
	if err == nil && s == "" {
		err = fmt.Errorf("empty: %w", kaijutsu.ErrInvalid)
	}
	return s, err
}

// optionalText is text that may be absent.
func (it item) optionalText(limit int) (string, error) {
	if it.absent() {
		return "", nil
	}
	return it.text(limit)
}

// bytes reads a byte string that must not be empty, without copying it unless
// it came in pieces.
func (it item) bytes() ([]byte, error) {
	if it.absent() {
		return nil, errAbsent
	}
	major, info, arg, rest := it.head()
	if major == majorTag && arg == tagUint8Array {
		it = rest
		major, info, _, rest = it.head()
	}
	switch {
	case major != majorBytes:
		return nil, badType("a byte string")
	case info == infoIndef:
		var b []byte
		if err := frameMode.Unmarshal(it, &b); err != nil {
			return nil, fmt.Errorf("%w: %w", err, kaijutsu.ErrInvalid)
		}
		rest = b
	}
	if len(rest) == 0 {
		return nil, fmt.Errorf("empty: %w", kaijutsu.ErrInvalid)
	}
	return rest[:len(rest):len(rest)], nil
}

// number reads an unsigned integer or a finite float that is not negative.
func (it item) number() (float64, error) {
	if it.absent() {
		return 0, errAbsent
	}
	major, info, arg, _ := it.head()
	f := -1.0
	switch {
	case major == majorUint:
		f = float64(arg)
	case major == majorSimple && (info == infoFloat16 || info == infoFloat32):
		if err := frameMode.Unmarshal(it, &f); err != nil {
			return 0, fmt.Errorf("%w: %w", err, kaijutsu.ErrInvalid)
		}
	case major == majorSimple && info == infoFloat64:
		f = math.Float64frombits(arg)
	default:
		return 0, badType("a number")
	}
	if !(f >= 0 && f <= maxCount) { // NaN is neither
		return 0, fmt.Errorf("%v is not between 0 and 2^53: %w", f, kaijutsu.ErrInvalid)
	}
	return f, nil
}

// count reads a number without fraction.
func (it item) count() (uint64, error) {
	f, err := it.number()
	if err != nil {
		return 0, err
	}
	if f != math.Trunc(f) {
		return 0, badType("a whole number")
	}
	return uint64(f), nil
}

// optionalBool reads a bool; absent is false.
func (it item) optionalBool() (bool, error) {
	if it.absent() {
		return false, nil
	}
	major, _, arg, rest := it.head()
	if major != majorSimple || len(rest) > 0 || arg != simpleFalse && arg != simpleTrue {
		return false, badType("a bool")
	}
	return arg == simpleTrue, nil
}

// list reads an array of at most limit items; absent is empty.
func (it item) list(limit int) ([]item, error) {
	if it.absent() {
		return nil, nil
	}
	var items []item
	if err := frameMode.Unmarshal(it, &items); err != nil {
		return nil, badType("an array")
	}
	if len(items) > limit {
		return nil, tooLong(len(items), limit, "elements")
	}
	return items, nil
}

// names reads an array of texts that must not be empty; absent is empty.
func (it item) names(maxCount, maxBytes int) ([]string, error) {
	items, err := it.list(maxCount)
	if err != nil || len(items) == 0 {
		return nil, err
	}
	names := make([]string, len(items))
	for i, it := range items {
		if names[i], err = it.name(maxBytes); err != nil {
			return nil, fmt.Errorf("element %d: %w", i+1, err)
		}
	}
	return names, nil
}

// isMap reports whether the item is a map.
func (it item) isMap() bool { return it[0]>>5 == majorMap }

// frameMode decodes frames; payloadMode checks what an ephemeral message
// carries, which other clients are going to decode.
var (
	frameMode   = mustMode(maxNestedLevels, maxArrayElements, maxMapPairs)
	payloadMode = mustMode(maxPayloadLevels, MaxEphemeralBytes, MaxEphemeralBytes)
)

func mustMode(levels, elements, pairs int) cbor.DecMode {
	mode, err := cbor.DecOptions{
		DupMapKey:         cbor.DupMapKeyEnforcedAPF,
		MaxNestedLevels:   levels,
		MaxArrayElements:  elements,
		MaxMapPairs:       pairs,
		FieldNameMatching: cbor.FieldNameMatchingCaseSensitive,
	}.DecMode()
	if err != nil {
		panic(err) // the options are constants
	}
	return mode
}
