package git

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"kaijutsu"
)

func TestNotesAgreeWithGit(t *testing.T) {
	s := newSandbox(t)
	r := s.repo()
	var commits []Hash
	for i := range 5 {
		commits = append(commits, s.commit(fmt.Sprint("c", i), nil))
	}
	if _, err := r.Note(NotesRef, commits[0]); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Fatalf("note without notes: %v, want ErrNotFound", err)
	}
	if err := r.SetNotes(NotesRef, map[Hash][]byte{commits[0]: []byte("zero\n"), commits[1]: []byte("one\n")}, ann); err != nil {
		t.Fatal(err)
	}
	s.git("notes", "--ref=ai", "add", "-m", "by git", string(commits[2]))
	if err := r.SetNotes(NotesRef, map[Hash][]byte{commits[1]: []byte("uno\n"), commits[0]: nil, commits[3]: []byte("three\n")}, ann); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"", "uno\n", "by git\n", "three\n", ""} {
		got, err := r.Note(NotesRef, commits[i])
		if string(got) != want || (want == "") != errors.Is(err, kaijutsu.ErrNotFound) {
			t.Errorf("Note of commit %d = %q, %v, want %q", i, got, err, want)
		}
		if want != "" {
			if got := s.git("notes", "--ref=ai", "show", string(commits[i])); got+"\n" != want {
				t.Errorf("git notes show of commit %d = %q, want %q", i, got, want)
			}
		}
	}
	if n := strings.Count(s.git("notes", "--ref=ai", "list"), "\n") + 1; n != 3 {
		t.Errorf("git lists %d notes, want 3", n)
	}
	tip := s.rev(NotesRef)
	if err := r.SetNotes(NotesRef, map[Hash][]byte{commits[1]: []byte("uno\n"), commits[4]: nil}, ann); err != nil || s.rev(NotesRef) != tip {
		t.Errorf("a write that changes nothing made a commit: %v", err)
	}
	if got := s.git("reflog", "show", NotesRef, "--format=%gs"); strings.Count(got, "notes: Notes added") != 3 {
		t.Errorf("reflog of the notes: %s", got)
	}
	s.agrees()
}

// Thousands of notes: git reads ours, and we read those that git has spread.
func TestNotesInFanout(t *testing.T) {
	s := newSandbox(t)
	s.commit("base", nil)
	r := s.repo()
	name := func(i int) Hash { return hashObject(blobKind, fmt.Append(nil, i)) }
	// git's own layout of 1,500 notes, and entries that are no notes.
	var feed bytes.Buffer
	fmt.Fprintf(&feed, "commit refs/notes/ai\ncommitter A <a@b> 1700000000 +0000\ndata 1\nx\nM 100644 inline keep/me\ndata 5\nkept\n\nM 100644 inline abc\ndata 4\nalso\n")
	for i := range 1500 {
		fmt.Fprintf(&feed, "N inline %s\ndata %d\nnote %d\n", s.git("rev-parse", "HEAD"), len(fmt.Sprint("note ", i)), i)
		if i == 0 {
			break
		}
	}
	cmd := s.cmd("fast-import", "--quiet")
	cmd.Stdin = &feed
	s.run(cmd)
	notes := make(map[Hash][]byte)
	for i := range 1500 {
		notes[name(i)] = fmt.Appendf(nil, "note %d\n", i)
	}
	if err := r.SetNotes(NotesRef, notes, ann); err != nil {
		t.Fatal(err)
	}
	if got := s.git("show", NotesRef+":keep/me") + s.git("show", NotesRef+":abc"); got != "keptalso" {
		t.Errorf("entries that are no notes = %q", got)
	}
	if n := strings.Count(s.git("notes", "--ref=ai", "list"), "\n") + 1; n != 1501 {
		t.Errorf("git lists %d notes, want 1501", n)
	}
	for _, i := range []int{0, 1, 999, 1499} {
		s.write("blob", fmt.Sprint(i))
		s.git("hash-object", "-w", "blob")
		if got, want := s.git("notes", "--ref=ai", "show", string(name(i))), fmt.Sprint("note ", i); got != want {
			t.Errorf("git notes show = %q, want %q", got, want)
		}
	}
	s.write("blob", "5")
	s.git("notes", "--ref=ai", "add", "-f", "-m", "rewritten by git", string(name(999))) // git lays them out anew
	for i := range 1500 {
		want := fmt.Sprintf("note %d\n", i)
		if i == 999 {
			want = "rewritten by git\n"
		}
		if got, err := r.Note(NotesRef, name(i)); err != nil || string(got) != want {
			t.Fatalf("Note(%d) = %q, %v, want %q", i, got, err, want)
		}
	}
	for h := range notes {
		notes[h] = nil
	}
	if err := r.SetNotes(NotesRef, notes, ann); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(s.git("notes", "--ref=ai", "list"), "\n") + 1; n != 1 {
		t.Errorf("git lists %d notes, want 1", n)
	}
	s.agrees()
}

// A file that has the name of a directory of notes keeps its place.
func TestNotesBesideAFileNamedLikeTheirDirectory(t *testing.T) {
	s := newSandbox(t)
	s.commit("base", nil)
	s.write("ab", "mine")
	s.git("add", "ab")
	s.git("update-ref", NotesRef, s.git("commit-tree", "-m", "x", s.git("write-tree")))
	r := s.repo()
	notes := make(map[Hash][]byte)
	for i := range 400 {
		notes[Hash(fmt.Sprintf("ab%038x", i))] = fmt.Append(nil, i)
	}
	if err := r.SetNotes(NotesRef, notes, ann); err != nil {
		t.Fatal(err)
	}
	if got := s.git("show", NotesRef+":ab"); got != "mine" {
		t.Errorf("the file is %q", got)
	}
	for h, want := range notes {
		if got, err := r.Note(NotesRef, h); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("Note(%s) = %q, %v, want %q", h, got, err, want)
		}
	}
	s.agrees()
}

func TestNotesOfManyWriters(t *testing.T) {
	s := newSandbox(t)
	s.commit("base", nil)
	const writers, each = 6, 10
	var group sync.WaitGroup
	errs := make(chan error, writers)
	for k := range writers {
		r := s.repo() // as from processes of their own
		group.Go(func() {
			for i := range each {
				h := hashObject(blobKind, fmt.Append(nil, k, i))
				if err := r.SetNotes(NotesRef, map[Hash][]byte{h: fmt.Append(nil, k, " ", i)}, ann); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	group.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
	if n := strings.Count(s.git("notes", "--ref=ai", "list"), "\n") + 1; n != writers*each {
		t.Errorf("%d notes, want %d", n, writers*each)
	}
	s.agrees()
}

func TestNotesRefuse(t *testing.T) {
	s := newSandbox(t)
	r := s.repo()
	h := s.commit("base", nil)
	for name, err := range map[string]error{
		"a branch":      r.SetNotes("refs/heads/main", map[Hash][]byte{h: []byte("x")}, ann),
		"a path":        r.SetNotes("refs/notes/../heads/main", map[Hash][]byte{h: []byte("x")}, ann),
		"no hash":       r.SetNotes(NotesRef, map[Hash][]byte{"HEAD": []byte("x")}, ann),
		"nobody":        r.SetNotes(NotesRef, map[Hash][]byte{h: []byte("x")}, Signature{}),
		"reading a ref": func() error { _, err := r.Note("refs/heads/main", h); return err }(),
	} {
		if !errors.Is(err, kaijutsu.ErrInvalid) {
			t.Errorf("%s: err = %v, want ErrInvalid", name, err)
		}
	}
}

func BenchmarkNoteAmongThousands(b *testing.B) {
	s := newSandbox(b)
	s.commit("base", nil)
	r := s.repo()
	notes := make(map[Hash][]byte)
	for i := range 5000 {
		notes[hashObject(blobKind, fmt.Append(nil, i))] = fmt.Append(nil, i)
	}
	if err := r.SetNotes(NotesRef, notes, ann); err != nil {
		b.Fatal(err)
	}
	b.Run("write", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if err := r.SetNotes(NotesRef, map[Hash][]byte{hashObject(treeKind, fmt.Append(nil, i)): []byte("x")}, ann); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("read", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if _, err := r.Note(NotesRef, hashObject(blobKind, fmt.Append(nil, i%5000))); err != nil {
				b.Fatal(err)
			}
		}
	})
}
