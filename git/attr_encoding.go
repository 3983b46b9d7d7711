package git

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// encodeText turns UTF-8 into one of the encodings that are known; false: it is
// not known, or cannot hold the text.
func encodeText(text []byte, name string) ([]byte, bool) {
	switch order, bom, kind := textEncoding(name); kind {
	case "utf-16":
		if !utf8.Valid(text) {
			return nil, false
		}
		var out []byte
		if bom {
			out = order.AppendUint16(out, 0xfeff)
		}
		for _, u := range utf16.Encode([]rune(string(text))) {
			out = order.AppendUint16(out, u)
		}
		return out, true
	case "latin1":
		out := make([]byte, 0, len(text))
		for _, r := range string(text) {
			if r > 255 {
				return nil, false
			}
			out = append(out, byte(r))
		}
		return out, utf8.Valid(text)
	}
	return nil, false
}

// decodeEncoded turns a file in one of the known encodings into UTF-8.
func decodeEncoded(data []byte, name string) ([]byte, bool) {
	switch order, bom, kind := textEncoding(name); kind {
	case "utf-16":
		if len(data)%2 != 0 {
			return nil, false
		}
		if bom {
			switch {
			case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
				order, data = binary.LittleEndian, data[2:]
			case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
				order, data = binary.BigEndian, data[2:]
			default:
				return nil, false
			}
		}
		units := make([]uint16, len(data)/2)
		for i := range units {
			units[i] = order.Uint16(data[2*i:])
		}
		return []byte(string(utf16.Decode(units))), true
	case "latin1":
		return []byte(decodeText(string(data), "latin1")), true
	}
	return nil, false
}

// byteOrder is what encoding/binary's byte orders can do here.
type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// textEncoding knows the names that git and iconv use. bom: a mark of the byte
// order stands in front.
func textEncoding(name string) (order byteOrder, bom bool, kind string) {
	switch strings.ToLower(strings.ReplaceAll(name, "_", "-")) {
	case "utf-16", "utf16":
		return binary.LittleEndian, true, "utf-16"
	case "utf-16le-bom", "utf16le-bom":
		return binary.LittleEndian, true, "utf-16"
	case "utf-16be-bom", "utf16be-bom":
		return binary.BigEndian, true, "utf-16"
	case "utf-16le", "utf16le":
		return binary.LittleEndian, false, "utf-16"
	case "utf-16be", "utf16be":
		return binary.BigEndian, false, "utf-16"
	case "iso-8859-1", "iso8859-1", "latin1", "latin-1":
		return nil, false, "latin1"
	}
	return nil, false, ""
}
