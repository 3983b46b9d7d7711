package wire

import (
	"encoding/binary"
	"math"
)

// split fills the fields of a frame that is one flat map of known keys, each once,
// with values that are texts, byte strings, integers or floats of definite
// length: what clients send all day. It is the work of a tenth of what the general
// decoder takes. It reports false for any other frame, and nothing of fields is of
// use then: the general decoder says what is wrong with it, if anything is.
func (f *fields) split(frame []byte) bool {
	major, n, rest, ok := splitHead(frame)
	if !ok || major != majorMap || n > 8 {
		return false
	}
	for range n {
		var key, value []byte
		if major, key, rest, ok = splitItem(rest); !ok || major != majorText {
			return false
		}
		at := f.field(content(key))
		if at == nil || *at != nil {
			return false
		}
		if _, value, rest, ok = splitItem(rest); !ok {
			return false
		}
		*at = value
	}
	return len(rest) == 0
}

// field returns where the value of a key goes; nil for keys that split does not
// read.
func (f *fields) field(key []byte) *item {
	switch string(key) {
	case "type":
		return &f.Type
	case "senderId":
		return &f.SenderID
	case "targetId":
		return &f.TargetID
	case "documentId":
		return &f.DocumentID
	case "data":
		return &f.Data
	case "count":
		return &f.Count
	case "sessionId":
		return &f.SessionID
	}
	return nil
}

// content is what follows the head of a text.
func content(it item) []byte {
	_, _, _, rest := it.head()
	return rest
}

// splitItem takes a scalar off the front of b; a tagged one with its tag.
func splitItem(b []byte) (major byte, it, rest []byte, ok bool) {
	major, n, rest, ok := splitHead(b)
	if !ok {
		return 0, nil, nil, false
	}
	switch major {
	case majorTag:
		if n != tagUint8Array || len(rest) == 0 || rest[0]>>5 != majorBytes {
			return 0, nil, nil, false
		}
		if _, _, rest, ok = splitItem(rest); !ok {
			return 0, nil, nil, false
		}
	case majorText, majorBytes:
		if n > uint64(len(rest)) {
			return 0, nil, nil, false
		}
		rest = rest[n:]
	case majorUint:
	case majorSimple:
		if b[0]&31 != infoFloat64 {
			return 0, nil, nil, false
		}
	default:
		return 0, nil, nil, false
	}
	return major, b[:len(b)-len(rest)], rest, true
}

// splitHead is item.head for bytes that may be no item.
func splitHead(b []byte) (major byte, arg uint64, rest []byte, ok bool) {
	if len(b) == 0 {
		return 0, 0, nil, false
	}
	major, info := b[0]>>5, b[0]&31
	b = b[1:]
	switch {
	case info < 24:
		return major, uint64(info), b, true
	case info == 24 && len(b) >= 1:
		return major, uint64(b[0]), b[1:], true
	case info == infoFloat16 && len(b) >= 2:
		return major, uint64(binary.BigEndian.Uint16(b)), b[2:], true
	case info == infoFloat32 && len(b) >= 4:
		return major, uint64(binary.BigEndian.Uint32(b)), b[4:], true
	case info == infoFloat64 && len(b) >= 8:
		arg = binary.BigEndian.Uint64(b)
		return major, arg, b[8:], arg <= math.MaxInt64 || major == majorSimple
	}
	return 0, 0, nil, false
}
