package worktree

import (
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/vfs"
)

var update = flag.Bool("update", false, "write the golden files")

const someID = blocks.ID("0190a8a0-0000-7000-8000-000000000001")

func fullRecord() record {
	base := "t"
	heads := kaijutsu.NewHeads(kaijutsu.ChangeHash{1}, kaijutsu.ChangeHash{2})
	return record{
		Block: someID, Path: "src/a b.go", Exists: true, Text: hashText("t"), Heads: heads, Base: &base, Disk: hashText("d"), Shape: shape{eolCRLF, true}, Exec: true,
		Stamp:   vfs.Stamp{Size: 3, MTime: 4, CTime: 5, Ino: 6, Dev: 7, Mode: 0o100755},
		Pending: &pending{hashText("p"), hashText("q"), heads}, Conflict: &conflict{someID, hashText("c")}, Closed: "it is a link", Notice: someID, Fresh: true,
		Past: []kaijutsu.Heads{heads},
	}
}

// A record that was written once is read for ever. How a base is deflated may
// change.
func TestRecordGolden(t *testing.T) {
	without := fullRecord()
	without.Base = nil
	for name, r := range map[string]record{"base": fullRecord(), "full": without, "least": {Block: someID, Path: "a", Shape: shape{EOL: eolLF}, Heads: kaijutsu.Heads{}}} {
		golden := filepath.Join("testdata", "record-"+name+".json")
		data, err := r.encode()
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(golden, data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if r.Base == nil && string(data) != string(want) {
			t.Errorf("%s: wrote\n%s\nwant\n%s", name, data, want)
		}
		got, err := decodeRecord(want)
		if err != nil || !reflect.DeepEqual(normal(got), normal(r)) {
			t.Errorf("%s: read %+v, %v\nwant %+v", name, got, err, r)
		}
	}
}

// normal makes records comparable: no heads are nil.
func normal(r record) record {
	if len(r.Heads) == 0 {
		r.Heads = nil
	}
	return r
}

// A record that is too long with its base is kept without it.
func TestRecordLongBase(t *testing.T) {
	r := fullRecord()
	for name, tt := range map[string]struct {
		base string
		kept bool
	}{"short": {"a\n", true}, "long and alike": {strings.Repeat("one line of many\n", 50_000), true}, "long": {noise(200 << 10), false}} {
		r.Base, r.Text = &tt.base, hashText(tt.base)
		data, err := r.encode()
		if err != nil || len(data) > maxRecordBytes {
			t.Fatalf("%s: %d bytes, %v", name, len(data), err)
		}
		got, err := decodeRecord(data)
		if err != nil || (got.Base != nil) != tt.kept || tt.kept && *got.Base != tt.base {
			t.Errorf("%s: kept %v, want %v; %v", name, got.Base != nil, tt.kept, err)
		}
	}
}

// noise is a text that cannot be made shorter.
func noise(n int) string {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(' ' + r.IntN(95))
	}
	return string(b)
}

func TestRecordStrict(t *testing.T) {
	good, err := fullRecord().encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"another version": {`"v":1`, `"v":2`}, "unknown field": {`"v":1`, `"v":1,"x":1`}, "two values": {`{"v":1`, `{}{"v":1`},
		"path out": {`src/a b.go`, `../a.go`}, "git's path": {`src/a b.go`, `src/.git/config`}, "no block": {string(someID), "x"},
		"bad hash": {hashText("t").String(), "00"}, "another base": {hashText("t").String(), hashText("u").String()}, "bad base": {`"base":"`, `"base":"AAAA`}, "eol": {`"crlf"`, `"cr"`}, "heads": {kaijutsu.ChangeHash{1}.String(), "zz"},
	} {
		bad := strings.Replace(string(good), change[0], change[1], 1)
		if bad == string(good) {
			t.Fatalf("%s: nothing to change", name)
		}
		if r, err := decodeRecord([]byte(bad)); err == nil {
			t.Errorf("%s: read %+v", name, r)
		}
	}
}

func FuzzRecord(f *testing.F) {
	for _, r := range []record{fullRecord(), {Block: someID, Path: "a", Shape: shape{EOL: eolLF}}} {
		data, err := r.encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := decodeRecord(data)
		if err != nil {
			return
		}
		again, err := r.encode()
		if err != nil {
			t.Fatal(err)
		}
		if back, err := decodeRecord(again); err != nil {
			t.Fatalf("read %q as %+v, wrote %q, which is not read: %v, %v", data, r, again, back, err)
		}
	})
}

// Names that are git's own on some file system are refused.
func TestNotGits(t *testing.T) {
	for _, name := range []string{".git", ".GIT/config", "a/.Git/x", ".git./x", ".git /x", "git~1/x", ".g\u200cit", ".git::$INDEX_ALLOCATION/x"} {
		if notGits(name) == nil {
			t.Errorf("%q is let through", name)
		}
	}
	for _, name := range []string{".gitignore", "a.git", "git", ".github/x", "git~10"} {
		if err := notGits(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}
