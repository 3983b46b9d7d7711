package wire

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"kaijutsu"
)

// Encode returns the frame of a message; nil for Unknown, which is only read.
func Encode(m Message) []byte { return Append(nil, m) }

// Append appends the frame of a message to dst. Fields that are empty and
// optional are left out.
func Append(dst []byte, m Message) []byte {
	switch m := m.(type) {
	case Join:
		e := begin(dst, m, 3)
		e.metadata(m.Metadata)
		e.texts("supportedProtocolVersions", m.Versions)
		return e.b
	case Peer:
		e := begin(dst, m, 4)
		e.text("targetId", m.TargetID)
		e.metadata(m.Metadata)
		e.text("selectedProtocolVersion", m.Version)
		return e.b
	case Error:
		e := begin(dst, m, 3)
		e.text("targetId", m.TargetID)
		e.text("message", m.Message)
		return e.b
	case Request, Sync, Ephemeral:
		return append(AppendHead(slices.Grow(dst, len(Data(m))+192), m), Data(m)...)
	case DocUnavailable:
		e := begin(dst, m, 3)
		e.text("targetId", m.TargetID)
		e.text("documentId", m.DocumentID)
		return e.b
	case SubscriptionChange:
		return appendSubscriptionChange(dst, m)
	case HeadsChanged:
		return appendHeadsChanged(dst, m)
	case Leave:
		return begin(dst, m, 1).b
	}
	return dst
}

// Data returns the data at the end of a Request, Sync or Ephemeral message; nil
// for any other message, and when there is none.
func Data(m Message) []byte {
	switch m := m.(type) {
	case Request:
		return m.Data
	case Sync:
		return m.Data
	case Ephemeral:
		return m.Data
	}
	return nil
}

// AppendHead is Append without the Data that the frame ends with, for who sends
// the same data to many.
func AppendHead(dst []byte, m Message) []byte {
	var e *encoder
	switch m := m.(type) {
	case Request:
		e = begin(dst, m, 4)
		e.text("targetId", m.TargetID)
		e.text("documentId", m.DocumentID)
	case Sync:
		e = begin(dst, m, 4)
		e.text("targetId", m.TargetID)
		e.text("documentId", m.DocumentID)
	case Ephemeral:
		e = begin(dst, m, 6)
		e.text("targetId", m.TargetID)
		e.text("documentId", m.DocumentID)
		e.text("sessionId", m.SessionID)
		e.key("count")
		e.number(float64(m.Count))
	default:
		return Append(dst, m)
	}
	e.key("data")
	e.head(majorBytes, uint64(len(Data(m))))
	return e.b
}

func appendSubscriptionChange(dst []byte, m SubscriptionChange) []byte {
	pairs := 2
	if len(m.Add) > 0 {
		pairs++
	}
	if len(m.Remove) > 0 {
		pairs++
	}
	e := begin(dst, m, pairs)
	e.text("targetId", m.TargetID)
	if len(m.Add) > 0 {
		e.texts("add", m.Add)
	}
	if len(m.Remove) > 0 {
		e.texts("remove", m.Remove)
	}
	return e.b
}

func appendHeadsChanged(dst []byte, m HeadsChanged) []byte {
	e := begin(dst, m, 4)
	e.text("targetId", m.TargetID)
	e.text("documentId", m.DocumentID)
	e.key("newHeads")
	e.head(majorMap, uint64(len(m.Heads)))
	for _, id := range slices.Sorted(maps.Keys(m.Heads)) {
		h := m.Heads[id]
		e.key(id)
		e.head(majorMap, 2)
		e.key("heads")
		e.head(majorArray, uint64(len(h.Heads)))
		for _, hash := range h.Heads {
			e.key(kaijutsu.EncodeBase58Check(hash[:]))
		}
		e.key("timestamp")
		e.float(h.UnixMillis)
	}
	return e.b
}

const majorArray = 4

// encoder appends CBOR in its preferred, definite-length form.
type encoder struct{ b []byte }

// begin starts the map of a message: its type, its sender and more pairs, the
// sender's among them.
func begin(dst []byte, m Message, pairs int) *encoder {
	e := &encoder{dst}
	e.head(majorMap, uint64(pairs+1))
	e.text("type", m.Type())
	e.text("senderId", m.Sender())
	return e
}

func (e *encoder) head(major byte, arg uint64) {
	switch {
	case arg < 24:
		e.b = append(e.b, major<<5|byte(arg))
	case arg <= math.MaxUint8:
		e.b = append(e.b, major<<5|24, byte(arg))
	case arg <= math.MaxUint16:
		e.b = binary.BigEndian.AppendUint16(append(e.b, major<<5|25), uint16(arg))
	case arg <= math.MaxUint32:
		e.b = binary.BigEndian.AppendUint32(append(e.b, major<<5|26), uint32(arg))
	default:
		e.b = binary.BigEndian.AppendUint64(append(e.b, major<<5|27), arg)
	}
}

func (e *encoder) key(s string) {
	e.head(majorText, uint64(len(s)))
	e.b = append(e.b, s...)
}

func (e *encoder) text(key, s string) {
	e.key(key)
	e.key(s)
}

func (e *encoder) texts(key string, list []string) {
	e.key(key)
	e.head(majorArray, uint64(len(list)))
	for _, s := range list {
		e.key(s)
	}
}

func (e *encoder) float(f float64) {
	e.b = binary.BigEndian.AppendUint64(append(e.b, majorSimple<<5|infoFloat64), math.Float64bits(f))
}

// number writes a count as cbor-x does: an integer below 2^32, else a float.
func (e *encoder) number(f float64) {
	if f <= math.MaxUint32 {
		e.head(majorUint, uint64(f))
		return
	}
	e.float(f)
}

func (e *encoder) metadata(m Metadata) {
	e.key("peerMetadata")
	pairs := uint64(1)
	if m.StorageID != "" {
		pairs++
	}
	e.head(majorMap, pairs)
	if m.StorageID != "" {
		e.text("storageId", m.StorageID)
	}
	e.key("isEphemeral")
	value := byte(simpleFalse)
	if m.Ephemeral {
		value = simpleTrue
	}
	e.head(majorSimple, uint64(value))
}
