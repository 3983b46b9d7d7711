package worktree_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/worktree"
)

const poem = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"

// A file is a record by git when it is opened, and nothing is read before.
func TestOpenFile(t *testing.T) {
	w := newWorld(t, map[string]string{"a.go": poem, "b.txt": "b\n", "bin": "a\x00b"})
	f := w.file("a.go")
	b := w.block(f.Doc, f.Block)
	if f.Content != poem || b.Kind != blocks.KindFile || b.Role != blocks.RoleSystem || b.Form != blocks.FormBody || b.By != worktree.Git || b.Status != blocks.StatusDone {
		t.Errorf("opened %+v, block %+v", f, b)
	}
	if want := `{"lang":"go","mount":"/mnt/app","path":"a.go"}`; b.Meta != want {
		t.Errorf("meta %s, want %s", b.Meta, want)
	}
	if again := w.file("a.go"); again.Block != f.Block {
		t.Errorf("opened again: block %s, want %s", again.Block, f.Block)
	}
	w.put("b.txt", "changed\n")
	g := w.file("b.txt")
	if by, _ := w.author(g, "changed"); by != worktree.Disk || w.block(g.Doc, g.Block).By != worktree.Git || g.Content != "changed\n" {
		t.Errorf("opened %+v, the change by %v, want disk's", g, by)
	}
	w.put("new.txt", "new\n")
	if g := w.file("new.txt"); w.block(g.Doc, g.Block).By != worktree.Disk {
		t.Errorf("a new file is by %v, want disk", w.block(g.Doc, g.Block).By)
	}
	if g := w.file("bin"); g.Block != "" || !g.Info.Binary {
		t.Errorf("binary file opened as %+v", g)
	}
	for _, name := range []string{"none", "../a.go", "/etc/passwd", ".git", ".GIT/config", "a/../../b"} {
		if g, err := w.OpenFile(w.ctx(), amy, name); err == nil {
			t.Errorf("OpenFile(%q) = %+v, want an error", name, g)
		}
	}
	w.wantChanges(map[string]int{"git file_open": 2, "disk file_open": 2})
}

// What is written into a block reaches the disk, and does not come back.
func TestBlockToDisk(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem})
	f := w.file("a.txt")
	w.sub(amy, f, "two", "2wo")
	w.untilDisk("a.txt", strings.Replace(poem, "two", "2wo", 1))
	w.sub(ben, f, "six", "6ix")
	w.untilDisk("a.txt", strings.Replace(strings.Replace(poem, "two", "2wo", 1), "six", "6ix", 1))
	w.settle()
	w.wantChanges(map[string]int{"git file_open": 1})
	if s := w.git("status", "--porcelain"); s != " M a.txt" {
		t.Errorf("git status %q", s)
	}
}

// The ways in which programs write files, each one small edit by disk.
func TestDiskToBlock(t *testing.T) {
	tests := []struct {
		name, script, want string
		changes            int
	}{
		{"sed -i", `sed -i s/two/TWO/ a.txt`, strings.Replace(poem, "two", "TWO", 1), 1},
		{"vim", `cp a.txt .a.txt.swp; mv a.txt a.txt~; sed s/two/TWO/ .a.txt.swp > a.txt; rm a.txt~ .a.txt.swp`, strings.Replace(poem, "two", "TWO", 1), 1},
		{"in place", `sed s/two/TWO/ a.txt > .b; cat .b > a.txt; rm .b`, strings.Replace(poem, "two", "TWO", 1), 1},
		{"append", `echo eight >> a.txt`, poem + "eight\n", 1},
		{"touch", `touch a.txt`, poem, 0},
		{"the same again", `cp a.txt .b; cat .b > a.txt; rm .b`, poem, 0},
		{"the same, renamed", `cp a.txt .b; mv .b a.txt`, poem, 0},
		{"chmod", `chmod +x a.txt`, poem, 0},
		{"away and back", `mv a.txt .b; mv .b a.txt`, poem, 0},
		{"git checkout", `echo x >> a.txt; sleep 0.2; git checkout -q -- a.txt`, poem, -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"a.txt": poem})
			f := w.file("a.txt")
			w.sh(tt.script)
			w.settle()
			w.untilBlock(f, tt.want)
			w.settle()
			if got := w.disk("a.txt"); got != tt.want {
				t.Errorf("the disk holds %q, want %q", got, tt.want)
			}
			if got := w.changes()["disk file_import"]; tt.changes >= 0 && got != tt.changes {
				t.Errorf("%d imports, want %d", got, tt.changes)
			}
			if b := w.block(f.Doc, f.Block); b.Deleted {
				t.Error("the block was deleted")
			}
		})
	}
}

// An import edits what differs and leaves the rest to those who wrote it.
func TestImportIsMinimal(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem})
	f := w.file("a.txt")
	w.sub(amy, f, "four", "four and more")
	w.untilDisk("a.txt", strings.Replace(poem, "four", "four and more", 1))
	w.sh(`sed -i s/two/2/ a.txt`)
	w.settle()
	for text, want := range map[string]kaijutsu.Principal{"and more": amy.By, "2": worktree.Disk, "seven": worktree.Git} {
		if by, _ := w.author(f, text); by != want {
			t.Errorf("%q is by %v, want %v", text, by, want)
		}
	}
}

// Where the mount names who edits on the disk, imports are by them.
func TestDiskAs(t *testing.T) {
	w := bareWorld(t, map[string]string{"a.txt": poem})
	w.config = func(c *worktree.Config) { c.DiskAs = ben.By }
	w.open()
	f := w.file("a.txt")
	w.sh(`sed -i s/two/2/ a.txt`)
	w.settle()
	if by, _ := w.author(f, "2"); by != ben.By {
		t.Errorf("by %v, want %v", by, ben.By)
	}
}

// Deleting a file buries its block, and the same comes back with it.
func TestDeleteAndReturn(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem})
	f := w.file("a.txt")
	w.sh(`rm a.txt`)
	w.until("the block is buried", func() bool { return w.block(f.Doc, f.Block).Deleted })
	w.settle()
	if s := w.state("a.txt"); !s.Deleted {
		t.Errorf("state %+v, want deleted", s)
	}
	if _, err := w.OpenFile(w.ctx(), amy, "a.txt"); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("OpenFile = %v, want not found", err)
	}
	w.put("a.txt", poem+"again\n")
	w.untilBlock(f, poem+"again\n")
	if g := w.file("a.txt"); g.Block != f.Block {
		t.Errorf("came back as block %s, want %s", g.Block, f.Block)
	}
	w.settle()
	w.wantChanges(map[string]int{"git file_open": 1, "disk file_import": 2})
}

// A renamed file keeps its block.
func TestRename(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem, "b.txt": "b\n"})
	f := w.file("a.txt")
	for _, step := range []struct{ script, to string }{
		{"mv a.txt c.txt", "c.txt"},
		{"mkdir -p d/e; git mv -f b.txt d/b.txt; mv c.txt d/e/c.go", "d/e/c.go"},
		{"cp d/e/c.go f.md; rm d/e/c.go", "f.md"},
	} {
		w.sh(step.script)
		w.until("the file is "+step.to, func() bool { return w.state(step.to).Block == f.Block })
		w.settle()
		b := w.block(f.Doc, f.Block)
		if b.Deleted || b.Content != poem || !strings.Contains(b.Meta, `"path":"`+step.to+`"`) {
			t.Errorf("after %s: block %+v", step.script, b)
		}
	}
	w.sub(amy, f, "two", "2")
	w.untilDisk("f.md", strings.Replace(poem, "two", "2", 1))
}

// A file that is emptied and then written is one edit.
func TestEmptyInBetween(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem})
	f := w.file("a.txt")
	w.sh(`: > a.txt; printf 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n' > a.txt`)
	w.untilBlock(f, poem+"eight\n")
	w.settle()
	w.wantChanges(map[string]int{"git file_open": 1, "disk file_import": 1})
	if by, _ := w.author(f, "three"); by != worktree.Git {
		t.Errorf("what was there is by %v", by)
	}
	w.sh(`: > a.txt`)
	w.untilBlock(f, "")
}

// Line ends, byte order marks and modes stay as they are.
func TestShapes(t *testing.T) {
	tests := []struct{ name, was, block, edit, want string }{
		{"crlf", "a\r\nb\r\n", "a\nb\n", "a\nB\nc\n", "a\r\nB\r\nc\r\n"},
		{"mixed", "a\r\nb\n", "a\r\nb\n", "a\r\nB\n", "a\r\nB\n"},
		{"bom", "\ufeffa\n", "a\n", "A\n", "\ufeffA\n"},
		{"no last line feed", "a\nb", "a\nb", "a\nB", "a\nB"},
		{"empty", "", "", "a\n", "a\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"a": tt.was})
			if err := os.Chmod(w.path("a"), 0o755); err != nil {
				t.Fatal(err)
			}
			f := w.file("a")
			if f.Content != tt.block {
				t.Errorf("block %q, want %q", f.Content, tt.block)
			}
			w.replace(amy, f, tt.edit)
			w.untilDisk("a", tt.want)
			w.settle()
			if info, err := os.Stat(w.path("a")); err != nil || info.Mode().Perm() != 0o755 {
				t.Errorf("mode %v, %v, want 755", info.Mode(), err)
			}
			w.wantChanges(map[string]int{"git file_open": 1})
		})
	}
}

// A file that can be no block any more closes its block, and opens it again.
func TestNoBlockAnyMore(t *testing.T) {
	for name, script := range map[string]string{
		"symlink": `rm a.txt; ln -s b.txt a.txt`, "directory": `rm a.txt; mkdir a.txt; touch a.txt/x`, "binary": `printf 'a\0b' > a.txt`,
		"too large": `head -c 3000 /dev/zero | tr '\0' x > a.txt`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := bareWorld(t, map[string]string{"a.txt": poem, "b.txt": "b\n"})
			w.limit = 2000
			w.open()
			f := w.file("a.txt")
			w.sh(script)
			w.until("closed", func() bool { return w.state("a.txt").Closed != "" })
			w.settle()
			n, ok := w.conflict(f.Doc)
			if !w.block(f.Doc, f.Block).Deleted || !ok || !strings.Contains(n.Content, "a.txt") {
				t.Errorf("closed: block %+v, notice %+v", w.block(f.Doc, f.Block), n)
			}
			if w.disk("b.txt") != "b\n" {
				t.Error("the link was followed")
			}
			w.sh(`rm -rf a.txt`)
			w.put("a.txt", poem+"x\n")
			w.untilBlock(f, poem+"x\n")
			w.settle()
			if _, ok := w.conflict(f.Doc); ok {
				t.Error("the notice stayed")
			}
		})
	}
}

// Metas that others write are put right, and mean nothing.
func TestMeta(t *testing.T) {
	w := newWorld(t, map[string]string{"a.go": poem, "b.txt": "b\n"})
	f := w.file("a.go")
	w.edit(amy, f, func(_ repo.View, tx *blocks.Tx) error {
		return tx.SetMeta(f.Block, `{"path":"../../etc/passwd","mount":"/","mine":1}`)
	})
	w.until("the meta is right", func() bool {
		return w.block(f.Doc, f.Block).Meta == `{"lang":"go","mine":1,"mount":"/mnt/app","path":"a.go"}`
	})
	id := blocks.ID("0190a8a0-0000-7000-8000-000000000001")
	w.edit(amy, f, func(_ repo.View, tx *blocks.Tx) error {
		return tx.InsertBlock(blocks.BlockSpec{ID: id, Kind: blocks.KindFile, Role: blocks.RoleSystem, Content: "evil\n", Meta: `{"path":"b.txt","mount":"/mnt/app"}`})
	})
	w.edit(amy, f, func(_ repo.View, tx *blocks.Tx) error { return tx.ReplaceText(id, "more evil\n") })
	w.settle()
	if got := w.disk("b.txt"); got != "b\n" {
		t.Errorf("a block that is not ours wrote %q", got)
	}
}

// Deleting a block removes its file, and restoring it brings both back; a file
// that has changed meanwhile stays, and so does its block.
func TestDeletedBlock(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem})
	f := w.file("a.txt")
	w.edit(amy, f, func(_ repo.View, tx *blocks.Tx) error { return tx.Delete(f.Block) })
	w.until("removed", func() bool { _, err := os.Lstat(w.path("a.txt")); return os.IsNotExist(err) })
	w.settle()
	if _, err := w.OpenFile(w.ctx(), amy, "a.txt"); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("OpenFile = %v, want not found", err)
	}
	w.edit(amy, f, func(_ repo.View, tx *blocks.Tx) error { return tx.Restore(f.Block) })
	w.untilDisk("a.txt", poem)
	w.settle()
	lock := w.main + "/.git/worktrees/tree/MERGE_HEAD"
	if err := os.WriteFile(lock, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	w.until("paused", func() bool { return w.State().Paused })
	w.edit(amy, f, func(_ repo.View, tx *blocks.Tx) error { return tx.Delete(f.Block) })
	w.sh(`echo eight >> a.txt`)
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	w.untilBlock(f, poem+"eight\n")
	if got := w.disk("a.txt"); got != poem+"eight\n" {
		t.Errorf("the disk holds %q", got)
	}
}

// Where the disk may only be read, a deleted block comes back when its file is
// read, at once too.
func TestDeletedBlockReadOnly(t *testing.T) {
	w := bareWorld(t, map[string]string{"a.txt": poem})
	w.config = func(c *worktree.Config) { c.ReadOnly = true }
	w.open()
	f := w.file("a.txt")
	for range 3 {
		w.edit(amy, f, func(_ repo.View, tx *blocks.Tx) error { return tx.Delete(f.Block) })
		data, info, err := w.FS(amy).Read(w.ctx(), amy.By, "a.txt", 0)
		if err != nil || string(data) != poem || info.Block != string(f.Block) {
			t.Fatalf("Read = %q, %+v, %v, want the file, in its block", data, info, err)
		}
	}
	if w.disk("a.txt") != poem {
		t.Error("the file is gone")
	}
}
