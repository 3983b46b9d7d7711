package wire

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"

	"kaijutsu"
)

// doc is a well-formed document id.
const doc = "u1n64jBFbYJ3QHMypEBWu8qktLC"

type object = map[string]any

// frame encodes any value.
func frame(t testing.TB, v any) []byte {
	t.Helper()
	b, err := cbor.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func with(base, more object) object {
	all := object{}
	for _, m := range []object{base, more} {
		for k, v := range m {
			if all[k] = v; v == "absent" {
				delete(all, k)
			}
		}
	}
	return all
}

var (
	join       = object{"type": "join", "senderId": "a"}
	syncObject = object{"type": "sync", "senderId": "a", "targetId": "s", "documentId": doc, "data": []byte{1}}
	ephemeral  = object{"type": "ephemeral", "senderId": "a", "targetId": "s", "documentId": doc, "count": 1, "sessionId": "x", "data": []byte{1}}
	subscribe  = object{"type": "remote-subscription-change", "senderId": "a", "targetId": "s"}
	changed    = object{"type": "remote-heads-changed", "senderId": "a", "targetId": "s", "documentId": doc, "newHeads": object{}}
)

func names(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprint(i)
	}
	return list
}

func heads(n int, timestamp any) object {
	list := make([]string, n)
	for i := range list {
		list[i] = kaijutsu.EncodeBase58Check(bytes.Repeat([]byte{byte(i)}, 32))
	}
	return object{"heads": list, "timestamp": timestamp}
}

func TestDecodeTolerates(t *testing.T) {
	undefined := cbor.SimpleValue(simpleUndefined)
	one := Sync{"a", "s", doc, []byte{1}}
	tests := []struct {
		name  string
		frame []byte
		want  Message
	}{
		{"a map header longer than need be", append([]byte{0xbb, 0, 0, 0, 0, 0, 0, 0, 2}, frame(t, object{"type": "leave", "senderId": "a"})[1:]...), Leave{"a"}},
		{"a map of indefinite length", append(append([]byte{0xbf}, frame(t, syncObject)[1:]...), 0xff), one},
		{"a text of indefinite length", []byte("\xa2\x64type\x7f\x63lea\x62ve\xff\x68senderId\x61a"), Leave{"a"}},
		{"a byte string of indefinite length", frame(t, with(syncObject, object{"data": cbor.RawMessage("\x5f\x42ab\x41c\xff")})), Sync{"a", "s", doc, []byte("abc")}},
		{"a byte string under tag 64", frame(t, with(syncObject, object{"data": cbor.Tag{Number: 64, Content: []byte{1}}})), one},
		{"a byte string under tag 64, length longer than need be", frame(t, with(syncObject, object{"data": cbor.RawMessage("\xd9\x00\x40\x59\x00\x01\x01")})), one},
		{"no target", frame(t, with(syncObject, object{"targetId": undefined})), Sync{"a", "", doc, []byte{1}}},
		{"unknown fields, of the names of known ones in other messages", frame(t, with(syncObject, object{"count": "many", "newHeads": 7, "future": object{"a": []int{1}}})), one},
		{"metadata null", frame(t, with(join, object{"peerMetadata": nil})), Join{"a", Metadata{}, []string{"1"}}},
		{"both kinds of metadata", frame(t, with(join, object{"peerMetadata": object{"storageId": "new"}, "metadata": object{"storageId": "old"}})), Join{"a", Metadata{StorageID: "new"}, []string{"1"}}},
		{"several versions", frame(t, with(join, object{"supportedProtocolVersions": []string{"2", "1"}})), Join{"a", Metadata{}, []string{"2", "1"}}},
		{"no versions at all", frame(t, with(join, object{"supportedProtocolVersions": []string{}})), Join{"a", Metadata{}, nil}},
		{"a peer id of the longest kind", frame(t, with(join, object{"senderId": strings.Repeat("p", MaxPeerIDBytes)})), Join{strings.Repeat("p", MaxPeerIDBytes), Metadata{}, []string{"1"}}},
		{"a count as float64", frame(t, with(ephemeral, object{"count": 3.0})), Ephemeral{"a", "s", doc, "x", 3, []byte{1}}},
		{"a count as float16", frame(t, with(ephemeral, object{"count": cbor.RawMessage("\xf9\x42\x00")})), Ephemeral{"a", "s", doc, "x", 3, []byte{1}}},
		{"a count as float32", frame(t, with(ephemeral, object{"count": float32(3)})), Ephemeral{"a", "s", doc, "x", 3, []byte{1}}},
		{"a count as 8-byte integer", frame(t, with(ephemeral, object{"count": cbor.RawMessage("\x1b\x00\x00\x00\x00\x00\x00\x00\x03")})), Ephemeral{"a", "s", doc, "x", 3, []byte{1}}},
		{"the largest count", frame(t, with(ephemeral, object{"count": math.Pow(2, 53)})), Ephemeral{"a", "s", doc, "x", 1 << 53, []byte{1}}},
		{"the largest ephemeral payload", frame(t, with(ephemeral, object{"data": frame(t, make([]byte, MaxEphemeralBytes-3))})), Ephemeral{"a", "s", doc, "x", 1, frame(t, make([]byte, MaxEphemeralBytes-3))}},
		{"a subscription without lists", frame(t, subscribe), SubscriptionChange{"a", "s", nil, nil}},
		{"the longest subscription", frame(t, with(subscribe, object{"add": names(MaxStorageIDs), "remove": nil})), SubscriptionChange{"a", "s", names(MaxStorageIDs), nil}},
		{"heads with an integer time", frame(t, with(changed, object{"newHeads": object{"x": heads(0, 7)}})), HeadsChanged{"a", "s", doc, map[string]StorageHeads{"x": {nil, 7}}}},
		{"an unknown type with fields of any kind", frame(t, object{"type": "new", "senderId": 7, "data": 1, "documentId": true}), Unknown{"new", ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Decode(tt.frame)
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("Decode(%x) = %#v, %v\nwant %#v", tt.frame, got, err, tt.want)
			}
		})
	}
}

func TestDecodeRefusesWhatIsNotCBOR(t *testing.T) {
	deep := append(bytes.Repeat([]byte{0x81}, maxNestedLevels+1), 0)
	tests := []struct {
		name  string
		frame []byte
	}{
		{"nothing", nil},
		{"a break without a start", []byte{0xff}},
		{"a reserved length", []byte{0x1c}},
		{"half a map", frame(t, syncObject)[:20]},
		{"a byte string longer than the frame", []byte("\xa1\x64data\x5a\xff\xff\xff\xff")},
		{"a map of 2^64-1 pairs", []byte("\xbb\xff\xff\xff\xff\xff\xff\xff\xff")},
		{"bytes after the map", append(frame(t, syncObject), 0)},
		{"JSON", []byte(`{"type":"join"}`)},
		{"nesting without end", deep},
		{"too many pairs", append([]byte{0xb9, 0x20, 0}, bytes.Repeat([]byte{0}, 2<<13)...)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, err := Decode(tt.frame)
			if m != nil || !errors.Is(err, ErrNotCBOR) || !errors.Is(err, kaijutsu.ErrInvalid) {
				t.Errorf("Decode = %#v, %v; want ErrNotCBOR", m, err)
			}
		})
	}
}

func TestDecodeRefusesBadFields(t *testing.T) {
	long := func(n int) string { return strings.Repeat("x", n) }
	tests := []struct {
		name  string
		value any
		field string
		want  error
	}{
		{"null", nil, "", kaijutsu.ErrInvalid},
		{"undefined", cbor.SimpleValue(simpleUndefined), "", kaijutsu.ErrInvalid},
		{"a number", 1, "", kaijutsu.ErrInvalid},
		{"an array", []any{join}, "", kaijutsu.ErrInvalid},
		{"a map under a tag", cbor.Tag{Number: 55799, Content: join}, "", kaijutsu.ErrInvalid},
		{"the same field twice", cbor.RawMessage("\xa2\x64type\x64join\x64type\x64join"), "", kaijutsu.ErrInvalid},
		{"no type", object{"senderId": "a"}, "type", kaijutsu.ErrInvalid},
		{"a numeric type", object{"type": 7}, "type", kaijutsu.ErrInvalid},
		{"a long type", object{"type": long(MaxTypeBytes + 1)}, "type", kaijutsu.ErrTooLarge},
		{"join without sender", object{"type": "join"}, "senderId", kaijutsu.ErrInvalid},
		{"join with an empty sender", with(join, object{"senderId": ""}), "senderId", kaijutsu.ErrInvalid},
		{"join with a sender of bytes", with(join, object{"senderId": []byte("a")}), "senderId", kaijutsu.ErrInvalid},
		{"join with a numeric sender", with(join, object{"senderId": 7}), "senderId", kaijutsu.ErrInvalid},
		{"join with a long sender", with(join, object{"senderId": long(MaxPeerIDBytes + 1)}), "senderId", kaijutsu.ErrTooLarge},
		{"join with a sender that is not UTF-8", cbor.RawMessage("\xa2\x64type\x64join\x68senderId\x62\xff\xff"), "senderId", kaijutsu.ErrInvalid},
		{"join with versions as text", with(join, object{"supportedProtocolVersions": "1"}), "supportedProtocolVersions", kaijutsu.ErrInvalid},
		{"join with numeric versions", with(join, object{"supportedProtocolVersions": []int{1}}), "supportedProtocolVersions", kaijutsu.ErrInvalid},
		{"join with many versions", with(join, object{"supportedProtocolVersions": names(MaxVersions + 1)}), "supportedProtocolVersions", kaijutsu.ErrTooLarge},
		{"join with metadata as text", with(join, object{"peerMetadata": "x"}), "peerMetadata", kaijutsu.ErrInvalid},
		{"join with a numeric storage id", with(join, object{"peerMetadata": object{"storageId": 7}}), "peerMetadata.storageId", kaijutsu.ErrInvalid},
		{"join with a long storage id", with(join, object{"peerMetadata": object{"storageId": long(MaxStorageIDBytes + 1)}}), "peerMetadata.storageId", kaijutsu.ErrTooLarge},
		{"join with isEphemeral as text", with(join, object{"metadata": object{"isEphemeral": "yes"}}), "metadata.isEphemeral", kaijutsu.ErrInvalid},
		{"sync without document", with(syncObject, object{"documentId": "absent"}), "documentId", kaijutsu.ErrInvalid},
		{"sync with a numeric document", with(syncObject, object{"documentId": 7}), "documentId", kaijutsu.ErrInvalid},
		{"sync with a long document", with(syncObject, object{"documentId": long(MaxDocumentIDBytes + 1)}), "documentId", kaijutsu.ErrTooLarge},
		{"sync without data", with(syncObject, object{"data": "absent"}), "data", kaijutsu.ErrInvalid},
		{"sync with null data", with(syncObject, object{"data": nil}), "data", kaijutsu.ErrInvalid},
		{"sync with empty data", with(syncObject, object{"data": []byte{}}), "data", kaijutsu.ErrInvalid},
		{"sync with text data", with(syncObject, object{"data": "x"}), "data", kaijutsu.ErrInvalid},
		{"sync with an array as data", with(syncObject, object{"data": []int{1, 2}}), "data", kaijutsu.ErrInvalid},
		{"sync with data under another tag", with(syncObject, object{"data": cbor.Tag{Number: 65, Content: []byte{1}}}), "data", kaijutsu.ErrInvalid},
		{"sync with data under two tags", with(syncObject, object{"data": cbor.Tag{Number: 64, Content: cbor.Tag{Number: 64, Content: []byte{1}}}}), "data", kaijutsu.ErrInvalid},
		{"request with a target of the wrong type", with(syncObject, object{"type": "request", "targetId": 1}), "targetId", kaijutsu.ErrInvalid},
		{"ephemeral without session", with(ephemeral, object{"sessionId": "absent"}), "sessionId", kaijutsu.ErrInvalid},
		{"ephemeral with a long session", with(ephemeral, object{"sessionId": long(MaxSessionIDBytes + 1)}), "sessionId", kaijutsu.ErrTooLarge},
		{"ephemeral without count", with(ephemeral, object{"count": "absent"}), "count", kaijutsu.ErrInvalid},
		{"ephemeral with a negative count", with(ephemeral, object{"count": -1}), "count", kaijutsu.ErrInvalid},
		{"ephemeral with half a count", with(ephemeral, object{"count": 1.5}), "count", kaijutsu.ErrInvalid},
		{"ephemeral with a count that is not a number", with(ephemeral, object{"count": math.NaN()}), "count", kaijutsu.ErrInvalid},
		{"ephemeral with an infinite count", with(ephemeral, object{"count": math.Inf(1)}), "count", kaijutsu.ErrInvalid},
		{"ephemeral with a count above 2^53", with(ephemeral, object{"count": uint64(1<<53 + 2)}), "count", kaijutsu.ErrInvalid},
		{"ephemeral with a count as text", with(ephemeral, object{"count": "1"}), "count", kaijutsu.ErrInvalid},
		{"ephemeral with large data", with(ephemeral, object{"data": make([]byte, MaxEphemeralBytes+1)}), "data", kaijutsu.ErrTooLarge},
		{"ephemeral with data that is not CBOR", with(ephemeral, object{"data": []byte{0xff}}), "data", ErrNotCBOR},
		{"ephemeral with data that is cut", with(ephemeral, object{"data": []byte{0x82, 1}}), "data", ErrNotCBOR},
		{"ephemeral with data nested without end", with(ephemeral, object{"data": append(bytes.Repeat([]byte{0x81}, 1000), 0)}), "data", ErrNotCBOR},
		{"subscription with text", with(subscribe, object{"add": "x"}), "add", kaijutsu.ErrInvalid},
		{"subscription to numbers", with(subscribe, object{"remove": []int{1}}), "remove", kaijutsu.ErrInvalid},
		{"subscription to too many", with(subscribe, object{"add": names(MaxStorageIDs + 1)}), "add", kaijutsu.ErrTooLarge},
		{"subscription to a long storage id", with(subscribe, object{"add": []string{long(MaxStorageIDBytes + 1)}}), "add", kaijutsu.ErrTooLarge},
		{"heads missing", with(changed, object{"newHeads": "absent"}), "newHeads", kaijutsu.ErrInvalid},
		{"heads as an array", with(changed, object{"newHeads": []int{}}), "newHeads", kaijutsu.ErrInvalid},
		{"heads of a number", with(changed, object{"newHeads": object{"x": 1}}), "newHeads", kaijutsu.ErrInvalid},
		{"heads without time", with(changed, object{"newHeads": object{"x": object{"heads": []string{}}}}), "newHeads", kaijutsu.ErrInvalid},
		{"heads with a time that is not a number", with(changed, object{"newHeads": object{"x": heads(1, math.NaN())}}), "newHeads", kaijutsu.ErrInvalid},
		{"heads in hexadecimal", with(changed, object{"newHeads": object{"x": object{"heads": []string{strings.Repeat("0a", 32)}, "timestamp": 1}}}), "newHeads", kaijutsu.ErrInvalid},
		{"heads of the wrong length", with(changed, object{"newHeads": object{"x": object{"heads": []string{kaijutsu.EncodeBase58Check(make([]byte, 31))}, "timestamp": 1}}}), "newHeads", kaijutsu.ErrInvalid},
		{"heads with a bad checksum", with(changed, object{"newHeads": object{"x": object{"heads": []string{"2sxru2CwGJ3V7zLB87w3BFbJEangMCHkMs6qs8sYL8w49RPLcg"}, "timestamp": 1}}}), "newHeads", kaijutsu.ErrInvalid},
		{"too many heads in one", with(changed, object{"newHeads": object{"x": heads(MaxHeads+1, 1)}}), "newHeads", kaijutsu.ErrTooLarge},
		{"too many heads together", with(changed, object{"newHeads": object{"x": heads(600, 1), "y": heads(600, 1)}}), "newHeads", kaijutsu.ErrTooLarge},
		{"leave without sender", object{"type": "leave"}, "senderId", kaijutsu.ErrInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, err := Decode(frame(t, tt.value))
			var bad *MessageError
			if m != nil || !errors.As(err, &bad) || bad.Field != tt.field || !errors.Is(err, tt.want) {
				t.Fatalf("Decode = %#v, %v; want an error about field %q that wraps %q", m, err, tt.field, tt.want)
			}
			if want := strings.HasPrefix(tt.name, "join "); IsJoin(err) != want {
				t.Errorf("IsJoin(%v) = %v, want %v", err, IsJoin(err), want)
			}
		})
	}
}

func TestDecodeDoesNotCopySyncData(t *testing.T) {
	f := frame(t, with(syncObject, object{"data": bytes.Repeat([]byte{7}, 100)}))
	m, err := Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	clear(f)
	if got := m.(Sync).Data; !bytes.Equal(got, make([]byte, 100)) {
		t.Errorf("data was copied: %x", got)
	}
}

// FuzzDecode demands that whatever Decode takes, Encode writes and Decode
// reads again as the same message.
func FuzzDecode(f *testing.F) {
	for _, frame := range goldenFrames(f) {
		f.Add(frame)
	}
	for _, s := range []string{"\xf6", "\xf7", "\x01", "\xa1\x64type\x64join", "\xbf\xff", "\xd8\x40\x41a"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		m, err := Decode(frame)
		if err != nil {
			if m != nil || !errors.Is(err, kaijutsu.ErrInvalid) && !errors.Is(err, kaijutsu.ErrTooLarge) {
				t.Fatalf("Decode = %#v, %v", m, err)
			}
			return
		}
		if _, unknown := m.(Unknown); unknown {
			return
		}
		again, err := Decode(Encode(m))
		if err != nil || !reflect.DeepEqual(again, m) {
			t.Fatalf("Decode(Encode(m)) = %#v, %v\nwant %#v", again, err, m)
		}
	})
}

// FuzzSplit demands that the quick way and the general one read the same message.
func FuzzSplit(f *testing.F) {
	for _, frame := range goldenFrames(f) {
		f.Add(frame)
	}
	for _, s := range []string{
		"\xa1\x64type\x64sync", "\xa2\x64type\x64sync\x64type\x64sync", "\xa1\x64type\x64syn\xff", "\xb9\x00\x01\x64type\x65leave",
		"\xa2\x64type\x65leave\x64data\xd8\x40\xd8\x40\x41a", "\xa2\x64type\x65leave\x65count\xfb\x7f\xf8\x00\x00\x00\x00\x00\x00", "\xa1\x64type\x65leave\x00",
		"\xa2\x64type\x65leave\x64data\x5b\xff\xff\xff\xff\xff\xff\xff\xff",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		var quick, general fields
		if !quick.split(frame) {
			return
		}
		if err := general.unmarshal(frame); err != nil {
			t.Fatalf("the general decoder refuses what the quick one reads: %v", err)
		}
		m, err := quick.decode()
		want, wantErr := general.decode()
		if !reflect.DeepEqual(m, want) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("read %#v, %v\nwant %#v, %v", m, err, want, wantErr)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	for _, name := range []string{"client-sync", "client-ephemeral", "client-join"} {
		f := goldenFrames(b)[name]
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Decode(f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, name := range []string{"server-sync", "client-ephemeral"} {
		m, err := Decode(goldenFrames(b)[name])
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var buf []byte
			for b.Loop() {
				buf = Append(buf[:0], m)
			}
		})
	}
}

// TestClientsTakeTheQuickWay expects what clients send all day to need no general
// decoder.
func TestClientsTakeTheQuickWay(t *testing.T) {
	for _, name := range []string{"client-sync", "client-request", "client-ephemeral"} {
		var f fields
		if frame, ok := goldenFrames(t)[name]; !ok || !f.split(frame) {
			t.Errorf("frame %s (there: %v) is not read the quick way", name, ok)
		}
	}
}
