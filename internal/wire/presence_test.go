package wire

import (
	"testing"

	"github.com/fxamacker/cbor/v2"
)

func TestReadPresence(t *testing.T) {
	tests := []struct {
		name string
		data string
		want Presence
		ok   bool
	}{
		{"update", "\xa1\x6a__presence\xa3\x64type\x66update\x67channel\x61x\x65value\x01", Presence{"update", "x"}, true},
		{"update as cbor-x writes it", "\xb9\x00\x01\x6a__presence\xb9\x00\x03\x64type\x66update\x67channel\x61x\x65value\x01", Presence{"update", "x"}, true},
		{"heartbeat", "\xa1\x6a__presence\xa1\x64type\x69heartbeat", Presence{"heartbeat", ""}, true},
		{"snapshot", "\xa1\x6a__presence\xa2\x64type\x68snapshot\x65state\xa0", Presence{"snapshot", ""}, true},
		{"update with its channel elsewhere", "\xa1\x6a__presence\xa3\x64type\x66update\x65value\x01\x67channel\x61x", Presence{}, false},
		{"two keys", "\xa2\x6a__presence\xa1\x64type\x69heartbeat\x61a\x01", Presence{}, false},
		{"type is a number", "\xa1\x6a__presence\xa1\x64type\x01", Presence{}, false},
		{"another key", "\xa1\x6a__absence_\xa1\x64type\x69heartbeat", Presence{}, false},
		{"a text", "\x6a__presence", Presence{}, false},
		{"no fields", "\xa1\x6a__presence\xa0", Presence{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := cbor.Wellformed([]byte(tt.data)); err != nil {
				t.Fatal(err)
			}
			if got, ok := ReadPresence([]byte(tt.data)); ok != tt.ok || ok && got != tt.want {
				t.Errorf("ReadPresence = %v, %v; want %v, %v", got, ok, tt.want, tt.ok)
			}
			for n := range len(tt.data) {
				ReadPresence([]byte(tt.data[:n])) // which must not panic
			}
		})
	}
}
