package peer

import (
	"encoding/binary"
	"math"

	"kaijutsu/internal/wire"
)

const (
	// headRoom is the longest head of a frame that a server sends (RFC 6455 §5.2).
	headRoom = 10
	// smallFrame is up to where a frame is put together and written at once. The
	// payload of a larger one, which many peers may share, is not copied.
	smallFrame = 16 << 10

	binaryFrame = 0x82 // FIN, and the opcode of a binary message
	deflated    = 0x40 // RSV1: the message is compressed (RFC 7692 §6)
)

// appendFrame puts the WebSocket frame of a message into buf, and returns it and the
// part of it that is shared with other peers and comes behind: nil when all of
// it is in the buffer. Messages from Limits.CompressAbove on are compressed for
// peers that can read it, unless they are already.
func (c *conn) appendFrame(to *[]byte, m wire.Message) (head, shared []byte) {
	buf := append((*to)[:0], noHead[:headRoom]...)
	var first byte = binaryFrame
	switch body := wire.Data(m); {
	case body == nil:
		buf = wire.Append(buf, m)
	case c.deflates && len(body) >= c.hub.cfg.Limits.CompressAbove && !packed(m, body):
		shared = c.hub.packs.pack(body)
		first |= deflated
		buf = storedBlock(wire.AppendHead(append(buf, noHead[:storedRoom]...), m), headRoom)
	default:
		buf, shared = wire.AppendHead(buf, m), body
	}
	if len(buf)+len(shared) <= smallFrame {
		buf, shared = append(buf, shared...), nil
	}
	*to = buf
	return frameHead(buf, first, len(shared)), shared
}

// rawFrame is appendFrame of a message that is encoded.
func (c *conn) rawFrame(to *[]byte, message []byte) []byte {
	*to = append(append((*to)[:0], noHead[:headRoom]...), message...)
	return frameHead(*to, binaryFrame, 0)
}

var noHead [headRoom]byte

// frameHead writes the head of a frame into the room before its payload, of
// which more bytes follow elsewhere, and returns the frame.
func frameHead(buf []byte, first byte, more int) []byte {
	n := len(buf) - headRoom + more
	at := headRoom - 2
	switch {
	case n > math.MaxUint16:
		at = 0
		buf[1] = 127
		binary.BigEndian.PutUint64(buf[2:], uint64(n))
	case n > 125:
		at = headRoom - 4
		buf[at+1] = 126
		binary.BigEndian.PutUint16(buf[at+2:], uint16(n))
	default:
		buf[at+1] = byte(n)
	}
	buf[at] = first
	return buf[at:]
}

// packed reports whether the data of a message is compressed inside: sync
// messages of version 2 carry whole documents, in columns that are.
func packed(m wire.Message, data []byte) bool {
	_, sync := m.(wire.Sync)
	return sync && len(data) > 0 && data[0] == wholeDocument
}

// wholeDocument is the first byte of a sync message of version 2.
const wholeDocument = 0x43
