package worktree_test

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

// fileRecords returns the records of files, by name.
func (w *world) fileRecords() map[string]map[string]any {
	w.t.Helper()
	out := map[string]map[string]any{}
	for name, err := range w.store.Records("worktree/") {
		if err != nil {
			w.t.Fatal(err)
		}
		if !strings.Contains(name, "/file/") {
			continue
		}
		data, err := w.store.Record(name)
		if err != nil {
			w.t.Fatal(err)
		}
		var r map[string]any
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber()
		if err := d.Decode(&r); err != nil {
			w.t.Fatal(err)
		}
		out[name] = r
	}
	return out
}

// Killed at each step of a flush, and typed on before the restart: the flush
// counts when it got to the disk, and nothing is in conflict.
func TestKilledInFlush(t *testing.T) {
	first, second := strings.Replace(poem, "four", "four, f", 1), strings.Replace(poem, "four", "four, flushed", 1)
	for name, disk := range map[string]string{"before the exchange": poem, "behind the exchange": first, "behind the exchange, and edited": strings.Replace(first, "seven", "7", 1)} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a.txt": poem})
			f := w.file("a.txt")
			w.settle()
			w.closeOverlay()
			w.replace(amy, f, first)
			heads, err := w.repo.Heads(t.Context(), f.Doc)
			if err != nil {
				t.Fatal(err)
			}
			for name, r := range w.fileRecords() {
				r["pending"] = map[string]any{"text": sum(first), "disk": sum(first), "heads": heads.Texts()}
				data, err := json.Marshal(r)
				if err != nil {
					t.Fatal(err)
				}
				if err := w.store.PutRecord(t.Context(), name, data); err != nil {
					t.Fatal(err)
				}
			}
			if disk != poem {
				w.put("a.txt", disk)
			}
			w.replace(amy, f, second)
			w.close()
			w.open()
			w.settle()
			want := second
			if strings.Contains(disk, "7") {
				want = strings.Replace(second, "seven", "7", 1)
			}
			w.untilDisk("a.txt", want)
			w.untilBlock(f, want)
			if n, ok := w.conflict(f.Doc); ok {
				t.Errorf("conflict: %s", n.Content)
			}
		})
	}
}

// Killed between the record and the block of a file that is opened: the block is
// made when it is opened again, and there is one.
func TestKilledInOpen(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem, "b.txt": "b\n"})
	f := w.file("a.txt")
	w.settle()
	w.closeOverlay()
	for name, r := range w.fileRecords() {
		ghost := string(blocks.NewID(time.Now()))
		r["block"], r["path"], r["fresh"], r["exists"] = ghost, "b.txt", true, false
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.store.PutRecord(t.Context(), strings.Replace(name, string(f.Block), ghost, 1), data); err != nil {
			t.Fatal(err)
		}
	}
	w.openOverlay()
	w.settle()
	g := w.file("b.txt")
	n := 0
	err := w.repo.View(t.Context(), g.Doc, func(v repo.View) error {
		for _, b := range v.Blocks() {
			if b.Kind == blocks.KindFile {
				n++
			}
		}
		return nil
	})
	if err != nil || n != 2 || g.Content != "b\n" {
		t.Errorf("%d blocks, %v; opened %+v", n, err, g)
	}
}

// A program that read the file before a flush and renamed its own over it after
// takes nothing of the flush away.
func TestOvertaken(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem})
	f := w.file("a.txt")
	for i, s := range []struct{ from, to, sed string }{{"two", "two, typed", "s/six/6/"}, {"five", "five, typed", "s/one/1/"}} {
		w.sh("sed " + s.sed + " a.txt > .sed")
		w.sub(amy, f, s.from, s.to)
		w.until("flushed", func() bool { return strings.Contains(w.disk("a.txt"), s.to) })
		w.sh("touch -r a.txt .sed; mv .sed a.txt") // as if it had been written meanwhile
		w.until("merged", func() bool {
			text := w.block(f.Doc, f.Block).Content
			return strings.Contains(text, s.to) && strings.Contains(text, s.sed[len(s.sed)-2:len(s.sed)-1])
		})
		w.settle()
		if got, want := w.disk("a.txt"), w.block(f.Doc, f.Block).Content; got != want || !strings.Contains(got, s.to) {
			t.Errorf("%d: the disk holds %q, the block %q", i, got, want)
		}
	}
	for text, want := range map[string]kaijutsu.Principal{"two, typed": amy.By, "five, typed": amy.By} {
		if by, _ := w.author(f, text[5:]); by != want {
			t.Errorf("%q is by %v", text, by)
		}
	}
}

// What an overtaken program wrote takes nothing away either when it was committed
// before anybody looked.
func TestOvertakenAndCommitted(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem})
	f := w.file("a.txt")
	w.sh("sed s/six/6/ a.txt > .sed")
	w.sub(amy, f, "two", "two, typed")
	w.until("flushed", func() bool { return strings.Contains(w.disk("a.txt"), "typed") })
	w.settle()
	w.sh("mv .sed a.txt; git -c user.name=x -c user.email=x commit -q -a -m overtaken")
	w.until("merged", func() bool { return strings.Contains(w.block(f.Doc, f.Block).Content, "6") })
	w.settle()
	want := strings.NewReplacer("two", "two, typed", "six", "6").Replace(poem)
	if got, block := w.disk("a.txt"), w.block(f.Doc, f.Block).Content; got != want || block != want {
		t.Errorf("the disk holds %q, the block %q", got, block)
	}
}

// A program that has to wait for the disk before it renames its file takes nothing
// away of all that was flushed meanwhile, at whatever place of the file.
func TestOvertakenForLong(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": section()})
	f := w.file("a.txt")
	w.sub(amy, f, "== amy\n", "== amy\nbefore\n")
	w.until("flushed", func() bool { return strings.Contains(w.disk("a.txt"), "before\n") })
	w.sh("sed 's/^== end$/&\\nby sed/' a.txt > .sed")
	want := []string{"before\n", "by sed\n"}
	for start, n := time.Now(), 0; n < 12 || time.Since(start) < time.Second; n++ {
		call := []op.Call{amy, ben}[n%2]
		heading, line := "== "+call.By.Name+"\n", fmt.Sprintf("line %d\n", n)
		w.sub(call, f, heading, heading+line)
		w.until("flushed", func() bool { return strings.Contains(w.disk("a.txt"), line) })
		want = append(want, line)
	}
	w.sh("touch .sed; mv .sed a.txt")
	w.until("merged", func() bool { return strings.Contains(w.block(f.Doc, f.Block).Content, "by sed\n") })
	w.settle()
	got := w.disk("a.txt")
	for _, line := range want {
		if strings.Count(got, line) != 1 {
			t.Errorf("%q is there %d times: %q", line, strings.Count(got, line), got)
		}
	}
	if block := w.block(f.Doc, f.Block).Content; block != got {
		t.Errorf("the block holds %q, the disk %q", block, got)
	}
}

// Killed while what an overtaken program wrote was merged, and the disk went on:
// what was flushed before stays.
func TestKilledInMerge(t *testing.T) {
	typed := strings.Replace(poem, "two", "two, typed", 1)
	overtaken := strings.Replace(poem, "four", "4", 1)
	both := strings.Replace(typed, "four", "4", 1)
	for name, tt := range map[string]struct{ base, block, disk, want string }{
		"before the edit":             {poem, typed, overtaken, both},
		"behind the edit":             {poem, both, overtaken, both},
		"behind the edit, and edited": {overtaken, both, strings.Replace(overtaken, "seven", "7", 1), strings.Replace(both, "seven", "7", 1)},
		"and put back":                {poem, typed, poem, typed},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a.txt": poem})
			f := w.file("a.txt")
			w.replace(amy, f, typed)
			w.untilDisk("a.txt", typed)
			w.settle()
			w.closeOverlay()
			if tt.block != typed {
				w.replace(ben, f, tt.block)
			}
			var base bytes.Buffer
			d, err := flate.NewWriter(&base, flate.BestSpeed)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := d.Write([]byte(tt.base)); err != nil {
				t.Fatal(err)
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			for name, r := range w.fileRecords() {
				r["text"], r["base"] = sum(tt.base), base.Bytes()
				delete(r, "disk")
				data, err := json.Marshal(r)
				if err != nil {
					t.Fatal(err)
				}
				if err := w.store.PutRecord(t.Context(), name, data); err != nil {
					t.Fatal(err)
				}
			}
			w.put("a.txt", tt.disk)
			w.openOverlay()
			w.settle()
			w.untilDisk("a.txt", tt.want)
			w.untilBlock(f, tt.want)
			if n, ok := w.conflict(f.Doc); ok {
				t.Errorf("conflict: %s", n.Content)
			}
		})
	}
}

// Killed when an import was in the block and not yet on record: what both then
// went on to have at the same place is no conflict.
func TestKilledInImport(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem})
	f := w.file("a.txt")
	w.settle()
	w.closeOverlay()
	old := w.fileRecords()
	w.openOverlay()
	imported := strings.Replace(poem, "six\n", "six\nsaved one\nsaved two\n", 1)
	w.put("a.txt", imported)
	w.untilBlock(f, imported)
	w.settle()
	w.closeOverlay()
	for name, r := range old {
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.store.PutRecord(t.Context(), name, data); err != nil {
			t.Fatal(err)
		}
	}
	w.put("a.txt", strings.Replace(imported, "saved one\n", "earlier\nsaved one\n", 1))
	w.replace(amy, f, strings.Replace(imported, "saved two\n", "saved two\ntyped\n", 1))
	w.openOverlay()
	want := strings.Replace(poem, "six\n", "six\nearlier\nsaved one\nsaved two\ntyped\n", 1)
	w.untilBlock(f, want)
	w.untilDisk("a.txt", want)
	w.settle()
	if n, ok := w.conflict(f.Doc); ok {
		t.Errorf("conflict: %s", n.Content)
	}
}
