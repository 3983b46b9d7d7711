package archtest

import (
	"slices"
	"strings"
)

// everything stands for all rooms in the import table.
const everything = "*"

// common are the rooms that every room may import: they know nothing of
// documents, and nothing of who calls them.
var common = []string{"internal/guard", "internal/halt", "internal/planted"}

// rooms is the import table: what each room may import of the module, besides
// the root and the common rooms. Test files may open any door.
var rooms = map[string][]string{
	"kaijutsu":             {},
	"internal/amfile":      {},
	"internal/changegraph": {"internal/amfile"},
	"internal/textdiff":    {},
	"internal/halt":        {},
	"internal/guard":       {},
	"internal/planted":     {},
	"blocks":               {"internal/amfile", "internal/textdiff"},
	"internal/store":       {},
	"internal/quarantine":  {"internal/store"},
	"internal/examine":     {"internal/amfile", "internal/changegraph", "blocks"},
	"internal/repo":        {"internal/amfile", "internal/changegraph", "blocks", "internal/store", "internal/quarantine", "internal/examine"},
	"internal/audit":       {"internal/op"},
	"internal/oidc":        {},
	"internal/limit":       {},
	"internal/telemetry":   {},
	"internal/backup":      {"internal/store", "internal/amfile", "internal/changegraph"},
	"internal/doctor":      {"internal/store", "internal/repo", "internal/backup", "internal/quarantine"},
	"internal/faultfs":     {},
	"internal/search":      {"blocks", "internal/repo", "internal/store"},
	"internal/interchange": {"blocks"},
	"internal/op":          {},
	"flowbus":              {},
	"internal/records":     {"internal/amfile", "internal/repo", "internal/store"},
	"internal/follow":      {"flowbus", "blocks", "internal/textdiff", "internal/repo"},
	"internal/cluster":     {"flowbus", "internal/amfile", "internal/repo", "internal/store"},
	"internal/access":      {"internal/op", "internal/records", "internal/store"},
	"internal/kernel": {"flowbus", "internal/op", "internal/access", "blocks", "internal/amfile", "internal/records",
		"internal/repo", "internal/store"},
	"drift":        {"blocks"},
	"internal/llm": {"drift"},
	"internal/courier": {"drift", "flowbus", "internal/op", "internal/access", "internal/records", "internal/kernel", "blocks",
		"internal/repo"},
	"internal/provenance": {"drift", "flowbus", "internal/op", "internal/records", "internal/kernel", "blocks", "internal/repo",
		"internal/store", "internal/textdiff"},
	"internal/link": {"drift", "blocks", "internal/op", "internal/records"},
	"internal/policy": {"drift", "internal/op", "internal/records", "internal/kernel", "internal/courier", "blocks",
		"internal/repo"},
	"git":                {"internal/textdiff"},
	"internal/vfs":       {},
	"internal/diskwatch": {},
	"internal/worktree": {"git", "internal/vfs", "internal/diskwatch", "internal/op", "blocks", "internal/repo",
		"internal/kernel", "internal/store", "internal/textdiff"},
	"internal/authorship": {"git", "blocks", "internal/repo", "internal/kernel", "internal/access", "internal/op", "internal/textdiff"},
	"internal/mounts": {"git", "drift", "flowbus", "internal/vfs", "internal/diskwatch", "internal/worktree", "internal/authorship",
		"internal/op", "internal/access", "internal/records", "internal/kernel", "internal/courier", "blocks", "internal/repo",
		"internal/store", "internal/textdiff"},
	"internal/catalog": {"internal/op", "internal/access", "internal/kernel", "blocks", "internal/repo",
		"internal/search", "internal/follow", "internal/interchange", "internal/textdiff",
		"drift", "internal/courier", "internal/provenance", "internal/link", "internal/policy",
		"internal/mounts", "internal/vfs", "internal/authorship", "git",
		"internal/quarantine", "internal/limit", "internal/audit", "internal/store"},
	"internal/door/httpdoor":  {"internal/op"},
	"internal/door/mcpdoor":   {"internal/op"},
	"internal/door/shelldoor": {"internal/op"},
	"internal/wire":           {},
	"internal/peer":           {"internal/amfile", "internal/wire", "internal/repo", "internal/limit"},
	"internal/editor":         {"internal/amfile", "internal/changegraph", "internal/wire", "blocks"},
	"internal/kjproc":         {},
	"internal/kjtest":         {"internal/amfile", "internal/kjproc"},
	"internal/interop":        {},
	"internal/torture":        {"internal/amfile", "internal/editor", "internal/kjproc", "internal/wire", "internal/faultfs", "blocks"},
	"flowbus/mirror":          {},
	"internal/demo":           {"internal/amfile", "internal/editor", "internal/kjproc", "blocks"},
	"internal/bench":          {"internal/amfile", "internal/wire", "internal/kjproc", "internal/faultfs", "blocks"},
	"internal/ui":             {},
	"internal/server":         {everything},
	"cmd/kj":                  {everything},
	"internal/archtest":       {},
	"internal/tally":          {},
}

// pure rooms compute: no files, no network, no clock of their own.
var pure = []string{"kaijutsu", "internal/amfile", "internal/changegraph", "internal/textdiff", "blocks", "drift", "internal/interchange", "internal/wire"}

// impure lists the standard packages that a pure room stays away from; a name
// covers what is below it.
var impure = []string{"os", "net", "syscall", "log"}

// linked are the files that may import unsafe, to link to a variable of another
// package: docs/adr/0026-files-get-their-space-before-they-are-mapped.md and
// docs/adr/0051-compactions-are-checked-before-they-count.md.
var linked = []string{"internal/store/allocate_linux.go", "internal/store/compaction.go"}

// checkRooms holds the imports between rooms against the table, and the table
// against the rooms that exist.
func checkRooms(t *tree) []string {
	var bad []string
	found := t.rooms()
	for _, room := range found {
		if _, ok := rooms[room]; !ok {
			bad = append(bad, room+": not in the import table of internal/archtest/rooms.go")
		}
	}
	for room := range rooms {
		if !slices.Contains(found, room) {
			bad = append(bad, room+": in the import table, but there is no such room")
		}
	}
	for _, f := range t.files {
		if f.isTest() {
			continue
		}
		for p, n := range f.imports {
			if !mayImport(f.room(), p) {
				bad = append(bad, f.at(n, "%s may not import %s", f.room(), p))
			}
		}
	}
	slices.Sort(bad)
	return bad
}

// mayImport answers for imports inside the module; others have their own tests.
func mayImport(room, imported string) bool {
	target, inside := strings.CutPrefix(imported, module+"/")
	if imported == module {
		return true
	}
	allowed := rooms[room]
	return !inside || slices.Contains(common, target) || slices.Contains(allowed, everything) || slices.Contains(allowed, target)
}

// checkPure finds I/O and clocks in the pure rooms, and C anywhere.
func checkPure(t *tree) []string {
	var bad []string
	for _, f := range t.files {
		if f.isTest() {
			continue
		}
		isPure := slices.Contains(pure, f.room())
		for p, n := range f.imports {
			if p == "C" || p == "unsafe" && !slices.Contains(linked, f.path) {
				bad = append(bad, f.at(n, "no room may import %s", p))
			}
			if isPure && slices.ContainsFunc(impure, func(dir string) bool { return within(p, dir) }) {
				bad = append(bad, f.at(n, "%s is a pure room and may not import %s", f.room(), p))
			}
		}
		if !isPure {
			continue
		}
		for name, n := range f.calls("time", "Now", "Since", "Until", "Sleep", "After", "NewTimer", "NewTicker", "AfterFunc") {
			bad = append(bad, f.at(n, "%s is a pure room and may not use %s: pass the time in", f.room(), name))
		}
	}
	return bad
}

// within reports whether the package path p is dir or below it.
func within(p, dir string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }
