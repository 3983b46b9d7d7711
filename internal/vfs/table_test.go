package vfs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"kaijutsu"
)

var (
	bg  = context.Background()
	amy = kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Person}
)

// world is a table with memory at a few places.
func world(t *testing.T, paths ...string) *Table {
	t.Helper()
	table := NewTable()
	for _, p := range paths {
		m := NewMemory(0)
		put(t, m, "name.txt", p)
		if err := table.Mount(p, m, false); err != nil {
			t.Fatal(err)
		}
	}
	return table
}

func put(t *testing.T, f FS, name, text string) Info {
	t.Helper()
	info, err := f.Write(bg, amy, name, []byte(text), WriteOptions{Parents: true})
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func paths(infos []Info) []string {
	out := []string{}
	for _, info := range infos {
		out = append(out, info.Path)
	}
	return out
}

func TestFind(t *testing.T) {
	table := world(t, "/mnt/app", "/mnt/app/vendor/lib", "/scratch", "/mnt/apple")
	tests := []struct{ path, mount, rel string }{
		{"/mnt/app", "/mnt/app", "."},
		{"/mnt/app/", "/mnt/app", "."},
		{"/mnt/app/src/a.go", "/mnt/app", "src/a.go"},
		{"/mnt/app/vendor", "/mnt/app", "vendor"},
		{"/mnt/app/vendor/lib/x", "/mnt/app/vendor/lib", "x"},
		{"/mnt/app/vendor/library", "/mnt/app", "vendor/library"},
		{"/mnt/apple/x", "/mnt/apple", "x"},
		{"/mnt/appl", "", ""},
		{"/mnt", "", ""},
		{"/", "", ""},
		{"/scratch/./x", "/scratch", "x"},
	}
	for _, test := range tests {
		m, rel, err := table.Find(test.path)
		if m.Path != test.mount || rel != test.rel || (err == nil) != (test.mount != "") {
			t.Errorf("Find(%q) = %q, %q, %v, want %q, %q", test.path, m.Path, rel, err, test.mount, test.rel)
		}
		if test.mount == "" && !errors.Is(err, ErrNoMount) {
			t.Errorf("Find(%q) = %v, want %v", test.path, err, ErrNoMount)
		}
	}
	for _, bad := range []string{"", "mnt/app", "/mnt/../etc", "/mnt//app", "/mnt/app/a\x00"} {
		if _, _, err := table.Find(bad); err == nil {
			t.Errorf("Find(%q) = nil, want an error", bad)
		}
	}
}

func TestRootMount(t *testing.T) {
	table := world(t, "/", "/mnt/app")
	for p, want := range map[string]string{"/name.txt": "/", "/mnt/app/name.txt": "/mnt/app"} {
		if data, _, err := table.Read(bg, amy, p, 0); err != nil || string(data) != want {
			t.Errorf("Read(%q) = %q, %v, want %q", p, data, err, want)
		}
	}
	infos, err := table.List(bg, "/")
	if want := []string{"/mnt", "/name.txt"}; err != nil || !slices.Equal(paths(infos), want) {
		t.Errorf("List(/) = %v, %v, want %v", paths(infos), err, want)
	}
}

func TestMountReplaces(t *testing.T) {
	table := world(t, "/mnt/app", "/mnt/app/sub")
	m := NewMemory(0)
	put(t, m, "name.txt", "the second")
	if err := table.Mount("/mnt/app/", m, true); err != nil {
		t.Fatal(err)
	}
	if got := len(table.Mounts()); got != 2 {
		t.Errorf("mounts = %d, want 2", got)
	}
	if data, _, err := table.Read(bg, amy, "/mnt/app/name.txt", 0); err != nil || string(data) != "the second" {
		t.Errorf("read = %q, %v, want the second", data, err)
	}
	if data, _, err := table.Read(bg, amy, "/mnt/app/sub/name.txt", 0); err != nil || string(data) != "/mnt/app/sub" {
		t.Errorf("read below = %q, %v, want it as it was", data, err)
	}
	if !table.Unmount("/mnt/app") || table.Unmount("/mnt/app") || table.Unmount("mnt") {
		t.Error("Unmount: want true once")
	}
	if _, _, err := table.Read(bg, amy, "/mnt/app/name.txt", 0); !errors.Is(err, ErrNoMount) {
		t.Errorf("read after Unmount = %v, want %v", err, ErrNoMount)
	}
	if err := table.Mount("/x", nil, false); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("Mount(nil) = %v, want %v", err, kaijutsu.ErrInvalid)
	}
}

// TestListSynthesizes covers what is above mounts, and mounts in directories.
func TestListSynthesizes(t *testing.T) {
	table := world(t, "/mnt/app", "/mnt/app/src/gen/x", "/mnt/lib", "/scratch")
	app, _, _ := table.Find("/mnt/app")
	put(t, app.FS, "src/a.go", "package a")
	put(t, app.FS, "src/gen/hidden/y", "stays")
	put(t, app.FS, "src/gen/x/covered", "is covered")
	tests := []struct {
		path string
		want []string
	}{
		{"/", []string{"/mnt", "/scratch"}},
		{"/mnt", []string{"/mnt/app", "/mnt/lib"}},
		{"/mnt/app", []string{"/mnt/app/name.txt", "/mnt/app/src"}},
		{"/mnt/app/src", []string{"/mnt/app/src/a.go", "/mnt/app/src/gen"}},
		{"/mnt/app/src/gen", []string{"/mnt/app/src/gen/hidden", "/mnt/app/src/gen/x"}},
		{"/mnt/app/src/gen/x", []string{"/mnt/app/src/gen/x/name.txt"}},
	}
	for _, test := range tests {
		infos, err := table.List(bg, test.path)
		if err != nil || !slices.Equal(paths(infos), test.want) {
			t.Errorf("List(%q) = %v, %v, want %v", test.path, paths(infos), err, test.want)
		}
		if info, err := table.Stat(bg, test.path); err != nil || info.Kind != KindDir || info.Path != test.path {
			t.Errorf("Stat(%q) = %+v, %v, want a directory", test.path, info, err)
		}
		if _, _, err := table.Read(bg, amy, test.path, 0); !errors.Is(err, ErrIsDirectory) {
			t.Errorf("Read(%q) = %v, want %v", test.path, err, ErrIsDirectory)
		}
	}
	if _, err := table.List(bg, "/nothing"); !errors.Is(err, ErrNoMount) {
		t.Errorf("List(/nothing) = %v, want %v", err, ErrNoMount)
	}
	if _, err := NewTable().List(bg, "/"); err != nil {
		t.Errorf("List(/) of an empty table = %v, want nothing", err)
	}
}

// TestReadOnly covers that nothing changes in a mount that is read only.
func TestReadOnly(t *testing.T) {
	table := world(t, "/rw")
	ro := NewMemory(0)
	put(t, ro, "dir/f", "text")
	if err := table.Mount("/ro", ro, true); err != nil {
		t.Fatal(err)
	}
	tries := map[string]func() error{
		"write":           func() error { _, err := table.Write(bg, amy, "/ro/dir/f", nil, WriteOptions{}); return err },
		"create":          func() error { _, err := table.Write(bg, amy, "/ro/new", nil, WriteOptions{}); return err },
		"mkdir":           func() error { return table.Mkdir(bg, amy, "/ro/new") },
		"remove":          func() error { return table.Remove(bg, amy, "/ro/dir/f", false) },
		"remove all":      func() error { return table.Remove(bg, amy, "/ro/dir", true) },
		"rename":          func() error { return table.Rename(bg, amy, "/ro/dir/f", "/ro/g") },
		"rename out of":   func() error { return table.Rename(bg, amy, "/ro/dir/f", "/rw/g") },
		"rename into":     func() error { return table.Rename(bg, amy, "/rw/name.txt", "/ro/g") },
		"write the mount": func() error { _, err := table.Write(bg, amy, "/ro", nil, WriteOptions{}); return err },
	}
	for name, try := range tries {
		if err := try(); !errors.Is(err, ErrReadOnly) || !errors.Is(err, kaijutsu.ErrDenied) {
			t.Errorf("%s = %v, want %v", name, err, ErrReadOnly)
		}
	}
	if data, info, err := table.Read(bg, amy, "/ro/dir/f", 0); err != nil || string(data) != "text" || info.Path != "/ro/dir/f" {
		t.Errorf("read = %q, %+v, %v", data, info, err)
	}
}

// TestTableRefuses covers what the table itself refuses.
func TestTableRefuses(t *testing.T) {
	table := world(t, "/mnt/app", "/mnt/app/sub/deep", "/scratch")
	tests := []struct {
		name string
		try  func() error
		want error
	}{
		{"rename across mounts", func() error { return table.Rename(bg, amy, "/mnt/app/name.txt", "/scratch/x") }, ErrCrossDevice},
		{"rename into a mount below", func() error { return table.Rename(bg, amy, "/mnt/app/name.txt", "/mnt/app/sub/deep/x") }, ErrCrossDevice},
		{"rename a mount", func() error { return table.Rename(bg, amy, "/scratch", "/mnt/app/x") }, kaijutsu.ErrInvalid},
		{"rename over a mount", func() error { return table.Rename(bg, amy, "/mnt/app/name.txt", "/mnt/app/sub/deep") }, kaijutsu.ErrInvalid},
		{"rename what holds a mount", func() error { return table.Rename(bg, amy, "/mnt/app/sub", "/mnt/app/x") }, kaijutsu.ErrConflict},
		{"remove a mount", func() error { return table.Remove(bg, amy, "/mnt/app", true) }, kaijutsu.ErrInvalid},
		{"remove what holds a mount", func() error { return table.Remove(bg, amy, "/mnt/app/sub", true) }, kaijutsu.ErrConflict},
		{"write what holds a mount", func() error { _, err := table.Write(bg, amy, "/mnt/app/sub", nil, WriteOptions{}); return err }, ErrIsDirectory},
		{"write a mount", func() error { _, err := table.Write(bg, amy, "/scratch", nil, WriteOptions{}); return err }, ErrIsDirectory},
		{"mkdir a mount", func() error { return table.Mkdir(bg, amy, "/scratch") }, ErrExists},
		{"write above mounts", func() error { _, err := table.Write(bg, amy, "/mnt/x", nil, WriteOptions{}); return err }, ErrNoMount},
		{"mkdir above mounts", func() error { return table.Mkdir(bg, amy, "/x") }, ErrNoMount},
		{"remove above mounts", func() error { return table.Remove(bg, amy, "/mnt", true) }, ErrNoMount},
	}
	for _, test := range tests {
		if err := test.try(); !errors.Is(err, test.want) {
			t.Errorf("%s = %v, want %v", test.name, err, test.want)
		}
	}
	if err := table.Rename(bg, amy, "/mnt/app/name.txt", "/mnt/app/sub/renamed"); err != nil {
		t.Errorf("rename within a mount = %v", err)
	}
}

func ExampleTable() {
	table, scratch := NewTable(), NewMemory(1<<20)
	_ = table.Mount("/scratch", scratch, false)
	_, _ = table.Write(context.Background(), kaijutsu.Principal{Name: "amy"}, "/scratch/plan/a.txt", []byte("first\n"), WriteOptions{})
	infos, _ := table.List(context.Background(), "/scratch/plan")
	fmt.Println(infos[0].Path, infos[0].Size)
	_, _, err := table.Read(context.Background(), kaijutsu.Principal{Name: "amy"}, "/scrtch/plan", 0)
	fmt.Println(err)
	// Output:
	// /scratch/plan/a.txt 6
	// /scrtch/plan: mounted are /scratch: no mount: not found
}
