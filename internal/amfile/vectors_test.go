package amfile

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"kaijutsu"
)

// vector is bytes that JavaScript wrote, or that were made to break something,
// and what is known of them.
type vector struct {
	Hex  string
	Want map[string]any
}

func (v vector) bytes(t testing.TB) []byte {
	b, err := hex.DecodeString(v.Hex)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// vectors reads testdata/vectors.json: changes, documents, sync, refused, accepted.
func vectors(t testing.TB) map[string]map[string]vector {
	text, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]map[string]vector
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestGoldenChangesDecodeAndEncodeToTheSameBytes(t *testing.T) {
	golden := vectors(t)["changes"]
	h := newHistory()
	for _, name := range []string{"G1", "G2", "G3", "G3z", "G4", "G5", "G6", "G7", "G8", "GA"} {
		t.Run(name, func(t *testing.T) {
			v := golden[name]
			c, err := DecodeChange(v.bytes(t))
			if err != nil {
				t.Fatal(err)
			}
			plain := v.bytes(t)
			if name == "G3z" {
				plain = golden["G3"].bytes(t)
			}
			if !bytes.Equal(c.Raw, plain) {
				t.Errorf("Raw = %x, want %x", c.Raw, plain)
			}
			wantFields(t, c, v.Want, golden)
			again := *c
			again.Raw, again.Hash = nil, kaijutsu.ChangeHash{}
			if err := EncodeChange(&again); err != nil || !bytes.Equal(again.Raw, plain) || again.Hash != c.Hash {
				t.Errorf("EncodeChange = %v, %x, want %x", err, again.Raw, plain)
			}
			if name == "G6" || name == "G8" || name == "GA" || name == "G3" {
				h = newHistory() // these begin a document
			}
			if name != "G3z" {
				if err := h.add(c); err != nil {
					t.Errorf("Check: %v", err)
				}
			}
		})
	}
}

func wantFields(t *testing.T, c *Change, want map[string]any, golden map[string]vector) {
	t.Helper()
	deps := []string{}
	for _, dep := range c.Deps {
		deps = append(deps, dep.String())
	}
	author := ""
	if len(c.Extra) > 2 {
		author = hex.EncodeToString(c.Extra[2:])
	}
	var message any
	if c.Message != "" {
		message = c.Message
	}
	got := plainJSON(map[string]any{
		"hash": c.Hash.String(), "actor": c.Author().String(), "seq": c.Seq, "startOp": c.StartOp,
		"time": c.Time, "message": message, "deps": deps, "ops": jsOps(c),
		"extra": hex.EncodeToString(c.Extra), "author": author,
	}).(map[string]any)
	for field, value := range want {
		if field == "deps" {
			for i, dep := range value.([]any) {
				if name := strings.Trim(dep.(string), "<>"); golden[name].Want != nil {
					value.([]any)[i] = golden[name].Want["hash"]
				}
			}
		}
		ops, listed := value.([]any)
		if field != "ops" {
			if !reflect.DeepEqual(got[field], value) {
				t.Errorf("%s = %v, want %v", field, got[field], value)
			}
			continue
		}
		if !listed {
			continue // told in words
		}
		if len(ops) != len(c.Ops) {
			t.Fatalf("%d operations, want %d", len(c.Ops), len(ops))
		}
		for i, op := range ops {
			for key, value := range op.(map[string]any) {
				if got := got["ops"].([]any)[i].(map[string]any)[key]; !reflect.DeepEqual(got, value) {
					t.Errorf("operation %d: %s = %v, want %v", i, key, got, value)
				}
			}
		}
	}
}

func TestHostileVectorsAreRefused(t *testing.T) {
	rules := map[string]int{
		"poison, run of 1": 6, "poison, column b2": 4, "poison, pred = self": 21,
		"poison, blind delete": 22, "poison, lone mark end": 24, "poison, insert + pred": 20,
		"panic, obj actor 5": 7, "panic, unused actors": 8, "panic, unknown elem": 19, "panic, seq 2 first": 9,
	}
	for name, v := range vectors(t)["refused"] {
		t.Run(name, func(t *testing.T) {
			err := accept(newHistory(), v.bytes(t))
			wantRule(t, err, rules[name])
		})
	}
	for name, v := range vectors(t)["accepted"] {
		t.Run(name, func(t *testing.T) {
			if err := accept(newHistory(), v.bytes(t)); err != nil {
				t.Error(err)
			}
		})
	}
}

// accept does what a server does with a change from a peer.
func accept(h *history, chunk []byte) error {
	c, err := DecodeChange(chunk)
	if err != nil {
		return err
	}
	return h.add(c)
}
