package op

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"kaijutsu"
)

func TestCheck(t *testing.T) {
	o := toy(Spec{})
	for _, tt := range []struct {
		name, in string
		want     string // of the error; empty: there is none
	}{
		{"the least", `{"name":"ab"}`, ""},
		{"everything", `{"name":"ab","colour":"green","size":9,"ratio":0.5,"loud":true,"tags":["a"],"steps":[{"op":"insert","line":0}],"range":{"start":0},"extra":{"a":[null]},"initial":"x"}`, ""},
		{"a number for a text that may be one", `{"name":"ab","item":12}`, ""},
		{"a text that may be a number", `{"name":"ab","item":"12"}`, ""},
		{"a fraction for a text that may be a number", `{"name":"ab","item":1.5}`, "item: want a string, got a number"},
		{"a number below zero for a text", `{"name":"ab","item":-1}`, "item: want a string, got an integer"},
		{"a number that is too long a text", `{"name":"ab","item":12345}`, "item: 5 characters: at most 4"},
		{"an integer written as a float", `{"name":"ab","size":3.0}`, ""},
		{"code points, not bytes", `{"name":"éé😀😀😀"}`, ""},
		{"the older name", `{"title":"ab"}`, ""},
		{"both names", `{"title":"ab","name":"cd"}`, "name: given twice, also as title"},
		{"the older name of the wrong type", `{"title":1}`, "name: want a string, got an integer"},
		{"nothing", ``, "parameters: empty: want a JSON object, such as {}"},
		{"white space", "  ", "parameters: empty"},
		{"no object", `[]`, "parameters: want a JSON object"},
		{"null", `null`, "parameters: want a JSON object"},
		{"two objects", `{"name":"ab"}{}`, "parameters: more than one JSON value"},
		{"cut short", `{"name":"ab"`, "parameters: the JSON ends too early"},
		{"no JSON", `{name:1}`, "parameters: not JSON"},
		{"no UTF-8", "{\"name\":\"\xff\xff\"}", "parameters: not UTF-8"},
		{"a key twice", `{"name":"ab","name":"cd"}`, "name: given twice; give it once"},
		{"a key twice, within", `{"name":"ab","extra":{"a":1,"a":2}}`, "a: given twice"},
		{"a key in two objects", `{"name":"ab","steps":[{"op":"insert"},{"op":"delete"}]}`, ""},
		{"a string that looks like a key", `{"name":"ab","tags":["name","name"]}`, ""},
		{"too deep", `{"name":"ab","extra":` + strings.Repeat(`{"a":`, 40) + `1` + strings.Repeat(`}`, 41), "parameters: nested deeper than 32"},
		{"required", `{}`, "name: is required: What it is called."},
		{"required, within", `{"name":"ab","steps":[{"op":"insert"},{}]}`, "steps[1].op: is required"},
		{"unknown", `{"name":"ab","colou":"red"}`, `colou: there is no such parameter; did you mean "colour"?`},
		{"unknown, and like nothing", `{"name":"ab","zzzzzz":1}`, "zzzzzz: there is no such parameter; there are colour, extra, "},
		{"unknown, within", `{"name":"ab","range":{"start":0,"stat":1}}`, `range.stat: there is no such parameter; did you mean "start"?`},
		{"unknown, and long", `{"name":"ab","` + strings.Repeat("x", 200) + `":1}`, "there is no such parameter"},
		{"null for a string", `{"name":null}`, "name: want a string, got null; leave it out instead"},
		{"a number for a string", `{"name":1}`, "name: want a string, got an integer"},
		{"a string for a number", `{"name":"ab","size":"3"}`, "size: want an integer, got a string"},
		{"a fraction for an integer", `{"name":"ab","size":1.5}`, "size: want an integer, got a number"},
		{"a string for a switch", `{"name":"ab","loud":"yes"}`, "loud: want a boolean, got a string"},
		{"an object for an array", `{"name":"ab","tags":{}}`, "tags: want an array, got an object"},
		{"an array for an object", `{"name":"ab","extra":[]}`, "extra: want an object, got an array"},
		{"a wrong item", `{"name":"ab","tags":["a",2]}`, "tags[1]: want a string, got an integer"},
		{"too short", `{"name":"a"}`, "name: 1 characters: want at least 2"},
		{"empty", `{"name":""}`, "name: must not be empty"},
		{"too long", `{"name":"abcdef"}`, "name: 6 characters: at most 5"},
		{"too few items", `{"name":"ab","tags":[]}`, "tags: 0 items: want at least 1"},
		{"too many items", `{"name":"ab","tags":["a","b","c"]}`, "tags: 3 items: at most 2"},
		{"too small", `{"name":"ab","size":0}`, "size: 0: want at least 1"},
		{"too large", `{"name":"ab","size":10}`, "size: 10: at most 9"},
		{"far too large", `{"name":"ab","range":{"start":1e300}}`, "range.start: 1e+300: too large for an integer"},
		{"beyond what a number can be", `{"name":"ab","ratio":1e999}`, "parameters: number 1e999 is too large"},
		{"one of, nearly", `{"name":"ab","colour":"gren"}`, `colour: "gren": want red or green; did you mean "green"?`},
		{"one of, not at all", `{"name":"ab","colour":"blue"}`, `colour: "blue": want red or green`},
		{"a pattern", `{"name":"ab","initial":"X"}`, `initial: "X": does not match ^[a-z]{1,2}$`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := o.check(json.RawMessage(tt.in))
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("check(%s) = %v, want no error", tt.in, err)
			case tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want) && !strings.Contains(err.Error(), tt.want)):
				t.Errorf("check(%s) = %v, want an error that says %q", tt.in, err, tt.want)
			case err != nil && !errors.Is(err, kaijutsu.ErrInvalid):
				t.Errorf("check(%s) = %v, want it to wrap ErrInvalid", tt.in, err)
			case err != nil && len(err.Error()) > 500:
				t.Errorf("check says %d bytes: %.100s…", len(err.Error()), err)
			}
		})
	}
}

func TestCheckGivesParametersTheirOwnNames(t *testing.T) {
	got, err := toy(Spec{}).check(json.RawMessage(`{"title":"ab","extra":{"n":9007199254740993}}`))
	if want := `{"extra":{"n":9007199254740993},"name":"ab"}`; err != nil || string(got) != want {
		t.Errorf("check = %s, %v, want %s: numbers as they were", got, err, want)
	}
}

func TestCheckSpellsNumbersOut(t *testing.T) {
	got, err := toy(Spec{}).check(json.RawMessage(`{"name":"ab","item":12,"extra":{"n":9007199254740993}}`))
	if want := `{"extra":{"n":9007199254740993},"item":"12","name":"ab"}`; err != nil || string(got) != want {
		t.Errorf("check = %s, %v, want %s", got, err, want)
	}
}

// FuzzCheck holds that what passes the check is what encoding/json reads, and
// that nothing panics.
func FuzzCheck(f *testing.F) {
	o := toy(Spec{})
	for _, s := range []string{
		`{"name":"ab"}`, `{"title":"ab","size":3}`, `{"name":"ab","steps":[{"op":"insert","line":1}],"range":{"start":2},"extra":{"a":{}}}`,
		`{"name":"ab","name":"cd"}`, `{}`, `[]`, ``, `{"name":"ab"} `, `{"NAME":"ab"}`, `{"name":"ab","ratio":1e400}`, "{\"name\":\"\\ud800\"}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		params, err := o.check(in)
		if err != nil {
			if !errors.Is(err, kaijutsu.ErrInvalid) || err.Error() == "" {
				t.Errorf("check(%q) = %v, want it to wrap ErrInvalid", in, err)
			}
			return
		}
		var out toyIn
		if err := json.Unmarshal(params, &out); err != nil {
			t.Errorf("check(%q) passed what does not decode: %v", in, err)
		}
		var value any
		if err := json.Unmarshal(params, &value); err != nil {
			t.Fatal(err)
		}
		if err := validate(o.in, value); err != nil {
			t.Errorf("check(%q) passed what the schema does not: %v", in, err)
		}
		if out.Name == "" || out.Size > 9 {
			t.Errorf("check(%q) passed %+v", in, out)
		}
	})
}
