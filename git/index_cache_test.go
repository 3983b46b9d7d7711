package git

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"
)

// TestIndexIsWhatTheFileSays has git and UpdateIndex write in turns, without a
// pause, and compares what is remembered with the file.
func TestIndexIsWhatTheFileSays(t *testing.T) {
	for _, version := range []string{"2", "4"} {
		t.Run("version "+version, func(t *testing.T) {
			s := variedIndex(t, version)
			w := s.worktree()
			path := filepath.Join(s.dir, ".git/index")
			blob := s.rev("main:run.sh")
			for i := range 20 {
				shared, err := w.cachedIndex()
				if err != nil {
					t.Fatal(err)
				}
				kept := shared.clone()
				switch i % 4 {
				case 3:
					name := fmt.Sprintf("by-git%d", i)
					s.write(name, name)
					s.git("add", name)
				default:
					err = w.UpdateIndex(context.Background(), func(x *Index) error {
						x.replacePath(fmt.Sprintf("deep/er/new%d", i), IndexEntry{Path: fmt.Sprintf("deep/er/new%d", i), Mode: Regular, Hash: blob})
						x.replacePath(fmt.Sprintf("deep/er/new%d", i-2), IndexEntry{})
						return nil
					})
				}
				if err != nil {
					t.Fatal(err)
				}
				got, err := w.ReadIndex()
				if err != nil {
					t.Fatal(err)
				}
				want, _, err := readIndexFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("step %d: the index of %d entries is not that of %d which the file has", i, len(got.Entries), len(want.Entries))
				}
				if !reflect.DeepEqual(shared, kept) {
					t.Fatalf("step %d: the index of a reader changed under it", i)
				}
			}
		})
	}
}

// TestIndexIsTakenOverFromWhoWroteIt looks at the moment after a write, in
// which the stamp of a file does not tell enough.
func TestIndexIsTakenOverFromWhoWroteIt(t *testing.T) {
	s := newSandbox(t)
	s.commit("first", map[string]string{"a": "a", "b": "b"})
	w := s.worktree()
	if err := w.UpdateIndex(context.Background(), func(x *Index) error { x.replacePath("a", IndexEntry{}); return nil }); err != nil {
		t.Fatal(err)
	}
	ours, err := w.cachedIndex()
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := w.cachedIndex(); again != ours {
		t.Error("the index was read again although its checksum is the one that we wrote")
	}
	path := filepath.Join(s.dir, ".git/index")
	s.git("mv", "b", "c")
	if ours.isIn(path) {
		t.Error("another index counts as ours")
	}
	w.index.stamp = stampOf(path) // as if the file system had counted no time
	x, err := w.cachedIndex()
	if err != nil || x == ours || x.Find("c") == nil {
		t.Errorf("ReadIndex is not what git wrote; error %v", err)
	}
}
