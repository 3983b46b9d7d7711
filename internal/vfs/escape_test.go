package vfs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"kaijutsu"
)

// secret is what a file outside of the folder holds.
const secret = "the secret outside"

// prison is a folder with everything in it that could lead out, and something
// outside.
type prison struct {
	t       *testing.T
	outside string // a directory beside the folder
	dir     string
	folder  *Folder
	table   *Table
	before  map[string]string
}

func newPrison(t *testing.T) *prison {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &prison{t: t, outside: filepath.Join(top, "outside"), dir: filepath.Join(top, "root")}
	for _, dir := range []string{"outside/sub", "outside/empty", "root/a/b", "root/dir", "root-sibling"} {
		p.must(os.MkdirAll(filepath.Join(top, dir), 0o755))
	}
	for _, file := range []string{"outside/secret", "outside/sub/secret", "root-sibling/secret"} {
		p.must(os.WriteFile(filepath.Join(top, file), []byte(secret), 0o644))
	}
	p.must(os.WriteFile(filepath.Join(p.dir, "file"), []byte("inside"), 0o644))
	for name, target := range map[string]string{
		"abs-dir": p.outside, "abs-file": filepath.Join(p.outside, "secret"), "abs-missing": filepath.Join(p.outside, "new"),
		"abs-root": "/", "abs-self": p.dir, "abs-proc": "/proc/self/root" + p.outside, "abs-cwd": "/proc/self/cwd", "abs-etc": "/etc",
		"rel-dir": "../outside", "rel-file": "../outside/secret", "rel-missing": "../outside/new", "rel-sibling": "../root-sibling",
		"rel-deep": "a/b/../../../outside", "rel-dots": "./././../outside", "rel-slashes": "..//..///" + filepath.Base(top) + "//outside",
		"rel-up": "..", "rel-upup": "../..", "rel-back": "../root", "rel-through": "dir/../../outside", "rel-trailing": "../outside/",
		"a/up": "../..", "a/b/out": "../../../outside/secret", "a/b/outdir": "../../../outside",
		"loop": "loop", "loop-a": "loop-b", "loop-b": "loop-a", "loop-dir": "loop-dir/x",
		"chain-1": "chain-2", "chain-2": "a/chain-3", "a/chain-3": "../rel-dir", "chain-file": "chain-1/secret",
		"via-link": "abs-dir/secret", "via-proc": "/proc/self/fd",
	} {
		p.must(os.Symlink(target, filepath.Join(p.dir, name)))
	}
	p.must(syscall.Mkfifo(filepath.Join(p.dir, "pipe"), 0o644))
	p.folder = openFolder(t, p.dir)
	p.table = NewTable()
	p.must(p.table.Mount("/mnt/app", p.folder, false))
	p.must(p.table.Mount("/other", NewMemory(0), false))
	p.before = p.snapshot()
	return p
}

func (p *prison) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// snapshot describes all that is outside of the folder, and its links.
func (p *prison) snapshot() map[string]string {
	p.t.Helper()
	all := map[string]string{}
	top := filepath.Dir(p.dir)
	p.must(filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		inside := strings.HasPrefix(path, p.dir+"/") || path == p.dir
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			all[path], err = os.Readlink(path)
		case inside || path == top:
		case d.IsDir():
			all[path] = fmt.Sprint(info.Mode(), info.ModTime())
		default:
			data, err := os.ReadFile(path)
			all[path] = fmt.Sprint(info.Mode(), info.ModTime(), string(data))
			return err
		}
		return err
	}))
	return all
}

func (p *prison) mustBeWhole(doing string) {
	p.t.Helper()
	now := p.snapshot()
	for path, was := range p.before {
		if now[path] != was {
			p.t.Errorf("%s: %s was %q, is %q", doing, path, was, now[path])
		}
	}
	for path, is := range now {
		if _, ok := p.before[path]; !ok {
			p.t.Errorf("%s: made %s (%q)", doing, path, is)
		}
	}
	if p.t.Failed() {
		p.t.FailNow()
	}
}

// attempts are paths that lead nowhere good: out of the folder, or to what is
// no path at all.
func attempts(p *prison) []string {
	long := strings.Repeat("x", 256)
	paths := []string{
		// climbing
		"..", "../", "../outside", "../outside/secret", "../../../../../../etc/passwd", "./..", "./../outside/secret", "a/..",
		"a/../..", "a/../../outside/secret", "a/b/../../../outside/secret", "x/../../..", "x/../../outside/secret", "x/y/../../../outside/new",
		"missing/../../outside/secret", "file/..", "file/../../outside/secret", "a/./../../outside", "a/b/..", "dir/../file",
		"a/../../root-sibling/secret", "../root/file", "../root", "../root-sibling/secret", "a/.././.././outside/secret",
		// dots and spaces, as Windows drops them
		"...", "....", ".../outside", ".. /outside/secret", "..  ", ". ./../outside", "../ ", "a/.. /../outside", "a/..../x", "..\u0020./x", "a/... /x", ".. ./x",
		// absolute
		"/", "//", "/etc/passwd", "//etc/passwd", "///etc", p.outside, p.outside + "/secret", p.dir + "/file", "/proc/self/root/etc/passwd",
		"//server/share", "C:/Windows/win.ini", `C:\Windows\win.ini`, "c:/x", `\\server\share\x`, `\etc\passwd`, `\`, `\\?\C:\x`,
		// backslashes
		`..\outside\secret`, `a\..\..\outside`, `..\`, `a/..\..\outside`, `dir\..\..\outside\secret`, `..\/outside`, `a\..`, `x/..\y`,
		// slashes
		"a//b", "a//../outside", "dir///x", "a/b//", "file//",
		// NUL, and what is not UTF-8
		"file\x00", "\x00", "file\x00.txt", "../outside/secret\x00.png", "a\x00/../../outside", "abs-dir\x00/secret",
		"\xff", "a/\xfe\xff", "\xc0\xae\xc0\xae/outside", "\xe0\x80\xae./x", "..\xc0\xafoutside", "\xed\xa0\x80",
		// too long
		long, "a/" + long, strings.Repeat("a/", 2049), strings.Repeat("../", 1000) + "etc/passwd", strings.Repeat("x/", 3000) + "..",
		strings.Repeat("a/../", 500) + "../outside/secret",
	}
	// through links
	for _, link := range []string{
		"abs-dir", "abs-root", "abs-self", "abs-proc", "abs-cwd", "abs-etc", "rel-dir", "rel-sibling", "rel-deep", "rel-dots", "rel-slashes",
		"rel-up", "rel-upup", "rel-back", "rel-through", "rel-trailing", "a/up", "a/b/outdir", "loop", "loop-a", "loop-dir", "chain-1", "chain-2",
		"a/chain-3", "via-proc", "abs-file", "rel-file", "pipe",
	} {
		for _, rest := range []string{"secret", "new", "sub/secret", "empty", "sub/new/deep", "root/file", "file", "../outside/secret"} {
			paths = append(paths, link+"/"+rest)
		}
	}
	return paths
}

// ends are names that are links out of the folder, or to nothing, themselves.
var ends = []string{
	"abs-dir", "abs-file", "abs-missing", "abs-root", "abs-self", "abs-proc", "abs-cwd", "abs-etc", "rel-dir", "rel-file", "rel-missing", "rel-sibling",
	"rel-deep", "rel-dots", "rel-slashes", "rel-up", "rel-upup", "rel-back", "rel-through", "rel-trailing", "a/up", "a/b/out", "a/b/outdir",
	"loop", "loop-a", "loop-b", "loop-dir", "chain-1", "chain-2", "a/chain-3", "chain-file", "via-link", "via-proc",
}

// ways are all that can be done with a path. A nil error is an escape.
func (p *prison) ways() map[string]func(name string) error {
	ctx, by, yes := context.Background(), kaijutsu.Principal{Name: "amy"}, true
	f, data := p.folder, []byte("escaped")
	accept := func([]byte, Stamp, bool) error { return nil }
	abs := func(name string) string { return "/mnt/app/" + name }
	list := func(infos []Info, err error) error { return err }
	return map[string]func(string) error{
		"stat":  func(n string) error { _, err := f.Stat(ctx, n); return err },
		"stamp": func(n string) error { _, err := f.Stamp(n); return err },
		"list":  func(n string) error { return list(f.List(ctx, n)) },
		"read": func(n string) error {
			got, _, err := f.Read(ctx, by, n, 0)
			if len(got) > 0 {
				return nil
			}
			return err
		},
		"write":           func(n string) error { _, err := f.Write(ctx, by, n, data, WriteOptions{}); return err },
		"write exclusive": func(n string) error { _, err := f.Write(ctx, by, n, data, WriteOptions{Exclusive: true}); return err },
		"write parents":   func(n string) error { _, err := f.Write(ctx, by, n, data, WriteOptions{Parents: true}); return err },
		"write if_hash": func(n string) error {
			_, err := f.Write(ctx, by, n, data, WriteOptions{IfHash: HashOf([]byte(secret)), Exec: &yes})
			return err
		},
		"mkdir":            func(n string) error { return f.Mkdir(ctx, by, n) },
		"remove":           func(n string) error { return f.Remove(ctx, by, n, false) },
		"remove recursive": func(n string) error { return f.Remove(ctx, by, n, true) },
		"rename from":      func(n string) error { return f.Rename(ctx, by, n, "stolen") },
		"rename to":        func(n string) error { return f.Rename(ctx, by, "file", n) },
		"replace":          func(n string) error { _, err := f.Replace(n, data, 0, accept, nil); return err },
		"remove if": func(n string) error {
			return f.RemoveIf(n, func(_ []byte, _ Stamp, exists bool) error { return missing(exists) })
		},
		"table read": func(n string) error { _, _, err := p.table.Read(ctx, by, abs(n), 0); return err },
		"table list": func(n string) error { return list(p.table.List(ctx, abs(n))) },
		"table write": func(n string) error {
			_, err := p.table.Write(ctx, by, abs(n), data, WriteOptions{Parents: true})
			return err
		},
		"table rename": func(n string) error { return p.table.Rename(ctx, by, "/mnt/app/file", abs(n)) },
		"table remove": func(n string) error { return p.table.Remove(ctx, by, abs(n), true) },
		"table search": func(n string) error {
			found, err := p.table.Search(ctx, SearchSpec{Path: abs(n), Pattern: "secret|root"})
			if len(found.Matches) > 0 {
				return nil
			}
			return err
		},
	}
}

// missing makes of "there is no file" a refusal, so that RemoveIf answers.
func missing(exists bool) error {
	if !exists {
		return kaijutsu.ErrNotFound
	}
	return nil
}

// TestEscapes tries every way with every path: all are refused with an error of
// a kind, and nothing outside is made, changed or removed.
func TestEscapes(t *testing.T) {
	p := newPrison(t)
	paths := attempts(p)
	if len(paths) < 100 {
		t.Fatalf("%d paths, want 100 at least", len(paths))
	}
	tried := 0
	for way, try := range p.ways() {
		t.Run(way, func(t *testing.T) {
			for _, path := range paths {
				tried++
				if err := try(path); err == nil {
					t.Errorf("%s %q: was not refused", way, clip(path))
				} else if !known(err) {
					t.Errorf("%s %q: %v: want an error of a kind", way, clip(path), err)
				}
			}
		})
		p.mustBeWhole(way)
	}
	t.Logf("%d paths, %d attempts", len(paths), tried)
	if data, err := os.ReadFile(filepath.Join(p.dir, "file")); err != nil || string(data) != "inside" {
		t.Errorf("the file inside is %q, %v", data, err)
	}
}

// TestEscapesAtEnd tries every way with links that lead out. What a link names
// is never touched; the link itself may be described, removed and renamed.
func TestEscapesAtEnd(t *testing.T) {
	may := []string{"stat", "stamp", "remove", "remove recursive", "rename from", "table remove"}
	for way := range newPrison(t).ways() {
		t.Run(way, func(t *testing.T) {
			p := newPrison(t)
			try := p.ways()[way]
			for _, name := range ends {
				info, err := p.folder.Stat(context.Background(), name)
				if err != nil || info.Kind != KindSymlink || info.Size != 0 || info.Target == "" {
					t.Fatalf("stat %q = %+v, %v: want a link", name, info, err)
				}
				err = try(name)
				if !slices.Contains(may, way) {
					if err == nil {
						t.Errorf("%s %q: was not refused", way, name)
					}
					continue
				}
				if err != nil {
					t.Errorf("%s %q: %v", way, name, err)
				}
				if _, err := os.Lstat(filepath.Join(p.dir, name)); err != nil {
					p.must(os.Symlink(info.Target, filepath.Join(p.dir, name)))
				}
				_ = os.Remove(filepath.Join(p.dir, "stolen"))
			}
			p.mustBeWhole(way)
		})
	}
}

// TestEscapeKinds tells what leads out from what is merely wrong.
func TestEscapeKinds(t *testing.T) {
	p := newPrison(t)
	tests := []struct {
		path string
		want error
	}{
		{"..", ErrEscapes}, {"x/../../..", ErrEscapes}, {"/etc/passwd", ErrEscapes}, {`..\x`, ErrEscapes}, {"a/../b", ErrEscapes},
		{"abs-dir/secret", ErrEscapes}, {"rel-dir/secret", ErrEscapes}, {"abs-file", ErrEscapes}, {"chain-file", ErrEscapes},
		{"loop", kaijutsu.ErrInvalid}, {"a//b", kaijutsu.ErrInvalid}, {"a\x00", kaijutsu.ErrInvalid}, {"\xff", kaijutsu.ErrInvalid},
		{"missing", kaijutsu.ErrNotFound}, {"missing/too", kaijutsu.ErrNotFound}, {"file/x", ErrNotDirectory}, {"dir", ErrIsDirectory},
		{"pipe", kaijutsu.ErrInvalid},
	}
	for _, test := range tests {
		_, _, err := p.folder.Read(context.Background(), kaijutsu.Principal{}, test.path, 0)
		if !errors.Is(err, test.want) {
			t.Errorf("read %q = %v, want %v", test.path, err, test.want)
		}
		if err != nil && strings.Contains(err.Error(), p.dir) && !strings.Contains(test.path, p.dir) {
			t.Errorf("read %q = %v: names the server's directory", test.path, err)
		}
	}
}

// TestEscapeRaces has one goroutine exchange a directory for a link out of the
// folder, and back, as fast as it can, while others use it in every way.
func TestEscapeRaces(t *testing.T) {
	p := newPrison(t)
	swap := filepath.Join(p.dir, "swap")
	p.must(os.MkdirAll(filepath.Join(swap, "sub"), 0o755))
	p.must(os.WriteFile(filepath.Join(swap, "secret"), []byte("decoy"), 0o644))
	p.must(os.WriteFile(filepath.Join(swap, "sub", "secret"), []byte("decoy"), 0o644))
	link := filepath.Join(p.dir, "a", "swap-link")
	p.must(os.Symlink(p.outside, link))
	before := p.before
	p.before = map[string]string{}
	for path, is := range before {
		p.before[path] = is
	}
	var stop atomic.Bool
	var wg sync.WaitGroup
	away := filepath.Join(p.dir, "a", "away")
	var swaps, tries int
	wg.Go(func() {
		for !stop.Load() {
			_ = os.Rename(swap, away)
			_ = os.Rename(link, swap)
			_ = os.Rename(swap, link)
			_ = os.Rename(away, swap)
			swaps++
		}
	})
	ways := p.ways()
	read := func(name string) {
		data, _, _ := p.folder.Read(context.Background(), kaijutsu.Principal{}, name, 0)
		if strings.Contains(string(data), secret) {
			t.Errorf("read %q got out", name)
		}
	}
	for end := time.Now().Add(time.Second); time.Now().Before(end); tries++ {
		for _, name := range []string{"swap/secret", "swap/sub/secret"} {
			read(name)
			for _, way := range []string{"write", "write parents", "write if_hash", "replace", "remove if", "remove", "rename to", "table write"} {
				_ = ways[way](name)
			}
		}
		for _, way := range []string{"list", "stat", "stamp"} {
			_ = ways[way]("swap")
		}
		infos, _ := p.folder.List(context.Background(), "swap")
		for _, info := range infos {
			if strings.Contains(info.Path, "empty") {
				t.Errorf("list got out: %+v", info)
			}
		}
		found, _ := p.table.Search(context.Background(), SearchSpec{Path: "/mnt/app/swap", Pattern: "the secret"})
		if len(found.Matches) > 0 {
			t.Errorf("search got out: %+v", found)
		}
		_ = ways["mkdir"]("swap/made")
		_ = ways["write parents"]("swap/made/deep/new")
		_ = ways["remove recursive"]("swap/sub")
		_ = ways["rename to"]("swap/taken")
		_ = p.folder.Rename(context.Background(), kaijutsu.Principal{}, "swap/taken", "file")
		_ = ways["write"]("file")
	}
	stop.Store(true)
	wg.Wait()
	p.before[link] = p.outside
	if _, err := os.Lstat(link); err != nil {
		t.Fatalf("the link is gone: %v", err)
	}
	p.mustBeWhole("races")
	t.Logf("%d swaps, %d tries", swaps, tries)
	if swaps == 0 || tries == 0 {
		t.Error("nothing ran")
	}
}
