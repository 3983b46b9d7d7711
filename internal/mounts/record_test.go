package mounts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kaijutsu"
)

func goldenRecord() record {
	return record{
		id: "0198c0de-0000-7000-8000-000000000001", path: "/mnt/app", kind: gitKind, dir: "/home/amy/src/app", branch: "feature/x", worktree: "app", rw: true,
		node: "n1", current: "kj/feature/x", diskAs: kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Person}, trailers: "people", notes: true, author: "caller",
		by: kaijutsu.Principal{Name: "owner", Kind: kaijutsu.Person}, at: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC),
		removed: time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC), remover: kaijutsu.Principal{Name: "owner", Kind: kaijutsu.Person},
	}
}

func golden(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return []byte(strings.TrimRight(string(b), "\n"))
}

func TestRecordsOfTheFirstVersionAreReadForEver(t *testing.T) {
	want := goldenRecord()
	got, err := decodeMount(want.id, golden(t, "mount-1.json"))
	if err != nil || got != want {
		t.Errorf("decodeMount = %+v, %v, want %+v", got, err, want)
	}
	if value, err := encodeMount(want); err != nil || string(value) != string(golden(t, "mount-1.json")) {
		t.Errorf("encodeMount = %s, %v", value, err)
	}
	doc := kaijutsu.ContextID{15: 7}.Document()
	branch, of, err := decodeBranch(branchHash("feature/x"), golden(t, "branch-1.json"))
	if err != nil || branch != "feature/x" || of != doc {
		t.Errorf("decodeBranch = %q, %v, %v", branch, of, err)
	}
	if value, err := encodeBranch("feature/x", doc); err != nil || string(value) != string(golden(t, "branch-1.json")) {
		t.Errorf("encodeBranch = %s, %v", value, err)
	}
}

func TestStrangeRecordsAreRefused(t *testing.T) {
	good := string(golden(t, "mount-1.json"))
	for _, c := range []struct{ name, old, new string }{
		{"a newer version", `"v":1`, `"v":2`},
		{"no version", `"v":1,`, ``},
		{"an unknown field", `"v":1`, `"v":1,"x":1`},
		{"something behind it", `{"v"`, `{"v":1}{"v"`},
		{"a relative path", `"path":"/mnt/app"`, `"path":"mnt/app"`},
		{"a path that goes up", `"path":"/mnt/app"`, `"path":"/mnt/../app"`},
		{"the root", `"path":"/mnt/app"`, `"path":"/"`},
		{"a long path", `"path":"/mnt/app"`, `"path":"/` + strings.Repeat("x", maxPathBytes) + `"`},
		{"a kind that there is not", `"kind":"git"`, `"kind":"nfs"`},
		{"a relative directory", `"dir":"/home/amy/src/app"`, `"dir":"src/app"`},
		{"no source", `"dir":"/home/amy/src/app",`, ``},
		{"two sources", `"dir":"/home/amy/src/app"`, `"dir":"/home/amy/src/app","url":"https://h/r"`},
		{"a worktree elsewhere", `"worktree":"app"`, `"worktree":"../app"`},
		{"no worktree", `"worktree":"app",`, ``},
		{"no node", `"node":"n1"`, `"node":""`},
		{"nobody", `"by":{"name":"owner","kind":"person"}`, `"by":{"name":"","kind":""}`},
		{"a policy that there is not", `"trailers":"people"`, `"trailers":"some"`},
		{"an author that there is not", `"author":"caller"`, `"author":"me"`},
		{"another type", `"rw":true`, `"rw":"yes"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			value := strings.Replace(good, c.old, c.new, 1)
			if value == good {
				t.Fatal("the case changes nothing")
			}
			if r, err := decodeMount(goldenRecord().id, []byte(value)); err == nil {
				t.Errorf("decodeMount = %+v, want an error", r)
			}
		})
	}
	if _, err := decodeMount("x", []byte(good)); err == nil {
		t.Error("a record under a name that is no id is taken")
	}
	for _, c := range []struct{ name, hash, value string }{
		{"another branch", branchHash("main"), string(golden(t, "branch-1.json"))},
		{"no branch", branchHash(""), `{"v":1,"branch":"","context":"x"}`},
		{"no context", branchHash("main"), `{"v":1,"branch":"main","context":""}`},
	} {
		if _, _, err := decodeBranch(c.hash, []byte(c.value)); err == nil {
			t.Errorf("%s: decodeBranch takes it", c.name)
		}
	}
}

func FuzzDecodeMount(f *testing.F) {
	f.Add([]byte(`{"v":1}`))
	b, _ := os.ReadFile(filepath.Join("testdata", "mount-1.json"))
	f.Add(b)
	f.Fuzz(func(t *testing.T, value []byte) {
		r, err := decodeMount(goldenRecord().id, value)
		if err != nil {
			return
		}
		again, err := encodeMount(r)
		if err != nil {
			t.Fatalf("encodeMount(%+v): %v", r, err)
		}
		if _, err := decodeMount(r.id, again); err != nil {
			t.Fatalf("decodeMount(%s): %v", again, err)
		}
	})
}
