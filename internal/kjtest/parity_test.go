package kjtest

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kaijutsu/internal/catalog"
	"kaijutsu/internal/op"
)

// TestParity runs every example that writes through every door, each time in a
// fresh house, and compares the bytes of the results: after ids,
// hashes and times, which are new in each house, have been named by the order
// in which they appear.
func TestParity(t *testing.T) {
	cases, err := catalog.Examples()
	if err != nil {
		t.Fatal(err)
	}
	fixture, err := catalog.Fixture()
	if err != nil {
		t.Fatal(err)
	}
	Binary(t)
	effects := effectsOf()
	for _, c := range cases {
		if effects[c.Call.Op] == op.Reads {
			continue // one house will do: TestParityOfReads
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			var want string
			var problem *op.Problem
			for i, d := range doors {
				h := openHouse(t)
				if c.OnDisk() {
					Home(t, h.home)
				}
				for _, in := range slices.Concat(fixture, c.Setup) {
					if _, p := callSet(t, h, in.Op, in.In); p != nil {
						t.Fatalf("%s %s: %+v", in.Op, in.In, p)
					}
				}
				result, p := d.call(t, h, c.Call.Op, c.Call.In)
				if p != nil {
					p.Message = string(h.placed(json.RawMessage(p.Message)))
				}
				got := ""
				if p == nil {
					got = normal(t, h.placed(result))
				}
				if i == 0 {
					want, problem = got, p
					continue
				}
				if err := same(d.name, p, problem); err != nil {
					t.Errorf("%s: %s %s: %v", d.name, c.Call.Op, c.Call.In, err)
				} else if got != want {
					t.Errorf("%s: %s %s = %s, want %s", d.name, c.Call.Op, c.Call.In, got, want)
				}
			}
		})
	}
}

func effectsOf() map[string]op.Effect {
	effects := make(map[string]op.Effect)
	for _, o := range catalog.New(catalog.Parts{}).All() {
		effects[o.Name] = o.Effect
	}
	return effects
}

// normal is catalog.Normal of a result, after a look at the bytes that it does
// not keep: a result is compact JSON, without HTML escapes.
func normal(t *testing.T, result json.RawMessage) string {
	t.Helper()
	var compact bytes.Buffer
	if err := json.Compact(&compact, result); err != nil || !bytes.Equal(compact.Bytes(), result) {
		t.Errorf("the result %q is not compact JSON (%v)", result, err)
	}
	if bytes.Contains(result, []byte(`\u003c`)) || bytes.Contains(result, []byte(`\u0026`)) {
		t.Errorf("the result %q has HTML escapes", result)
	}
	return itsDoor.ReplaceAllString(catalog.Normal(result, amy.Name), `"door": "<door>"`)
}

// placed returns a result with names in the place of directories that are
// different in each house.
func (h *house) placed(result json.RawMessage) json.RawMessage {
	return json.RawMessage(strings.NewReplacer(h.home, "~", h.data, "<data>").Replace(string(result)))
}

// itsDoor is the one thing of a result that tells doors apart: of a seat.
var itsDoor = regexp.MustCompile(`"door": "[a-z]+"`)

// TestParityOfReads runs the examples that only read through all doors of one
// house, and compares byte for byte.
func TestParityOfReads(t *testing.T) {
	cases, err := catalog.Examples()
	if err != nil {
		t.Fatal(err)
	}
	fixture, err := catalog.Fixture()
	if err != nil {
		t.Fatal(err)
	}
	Binary(t)
	effects := effectsOf()
	for _, c := range cases {
		if effects[c.Call.Op] != op.Reads {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			h := openHouse(t)
			if c.OnDisk() {
				Home(t, h.home)
			}
			for _, in := range slices.Concat(fixture, c.Setup) {
				if _, p := callSet(t, h, in.Op, in.In); p != nil {
					t.Fatalf("%s %s: %+v", in.Op, in.In, p)
				}
			}
			want, problem := callSet(t, h, c.Call.Op, c.Call.In)
			for _, d := range doors[1:] {
				got, p := d.call(t, h, c.Call.Op, c.Call.In)
				if err := same(d.name, p, problem); err != nil {
					t.Errorf("%s: %v", d.name, err)
				} else if !bytes.Equal(got, want) {
					t.Errorf("%s: %s %s = %s, want %s", d.name, c.Call.Op, c.Call.In, got, want)
				}
			}
		})
	}
}

// TestParityOfErrors asks every door for what cannot be, and compares what they
// say.
func TestParityOfErrors(t *testing.T) {
	tests := []struct{ name, op, in, kind string }{
		{"no such parameter", "block_list", `{"context":"Plan","knd":"text"}`, "invalid"},
		{"not in the list", "block_list", `{"context":"Plan","kind":"bogus"}`, "invalid"},
		{"wrong type", "block_list", `{"context":"Plan","limit":"many"}`, "invalid"},
		{"too small", "block_list", `{"context":"Plan","limit":0}`, "invalid"},
		{"missing", "block_append", `{"context":"Plan","text":"x"}`, "invalid"},
		{"twice under two names", "block_read", `{"block":"00000000-0000-7000-8000-000000000001","block_id":"00000000-0000-7000-8000-000000000001"}`, "invalid"},
		{"no such context", "context_get", `{"context":"Plam"}`, "not_found"},
		{"no such block", "block_read", `{"context":"Plan","block_id":"00000000-0000-7000-8000-00000000000f"}`, "not_found"},
		{"no way back", "block_status", `{"context":"Plan","block_id":"00000000-0000-7000-8000-000000000001","status":"running"}`, "conflict"},
		{"an id twice", "block_create", `{"context":"Plan","id":"00000000-0000-7000-8000-000000000001"}`, "conflict"},
		{"past the end", "block_splice", `{"context":"Plan","block_id":"00000000-0000-7000-8000-000000000001","offset":1000,"delete_count":0}`, "invalid"},
		{"a batch", "block_edit", `{"context":"Plan","block_id":"00000000-0000-7000-8000-000000000001","operations":[{"op":"delete","start_line":0,"end_line":1},{"op":"insert","line":77,"content":"x"}]}`, "invalid"},
		{"no regular expression", "kernel_search", `{"query":"("}`, "invalid"},
	}
	fixture, err := catalog.Fixture()
	if err != nil {
		t.Fatal(err)
	}
	Binary(t)
	h := openHouse(t)
	for _, in := range fixture {
		if _, p := callSet(t, h, in.Op, in.In); p != nil {
			t.Fatalf("%s %s: %+v", in.Op, in.In, p)
		}
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, want := callSet(t, h, tt.op, tt.in)
			if want == nil || want.Kind != tt.kind {
				t.Fatalf("%s %s: %+v, want a problem of kind %s", tt.op, tt.in, want, tt.kind)
			}
			for _, d := range doors[1:] {
				_, got := d.call(t, h, tt.op, tt.in)
				if err := same(d.name, got, want); err != nil {
					t.Errorf("%s: %v", d.name, err)
				}
			}
		})
	}
}
