package archtest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// topLevel lists the names allowed beside the Go files of the root package.
var topLevel = []string{
	".ci", ".gitignore", "CONTRIBUTING.md", "LICENSE", "README.md", "blocks", "cmd", "docs", "drift", "flowbus", "git",
	"fuzz", "go.mod", "go.sum", "internal", "packaging", "run", "staticcheck.conf", "test",
	".git", "kj", // not committed: the repository itself and a built binary
}

// checkTopLevel finds names at the top level that nobody agreed on.
func checkTopLevel(t *tree) []string {
	var bad []string
	for _, p := range t.paths {
		name, _, inside := strings.Cut(p, "/")
		isGo := !inside && path.Ext(name) == ".go"
		if !isGo && !slices.Contains(topLevel, name) {
			bad = append(bad, name+": not a name that belongs at the top level (internal/archtest/tidy.go)")
		}
	}
	return slices.Compact(bad)
}

// checkComments wants exactly one package comment in each package, in a file
// that ships if there is one.
func checkComments(t *tree) []string {
	var bad []string
	for _, room := range t.rooms() {
		var ships, tests []goFile
		for _, f := range t.files {
			switch {
			case f.room() != room:
			case f.isTest():
				tests = append(tests, f)
			default:
				ships = append(ships, f)
			}
		}
		if len(ships) == 0 {
			ships = tests
		}
		commented := slices.DeleteFunc(slices.Clone(ships), func(f goFile) bool { return f.ast.Doc == nil })
		if len(commented) != 1 {
			bad = append(bad, fmt.Sprintf("%s: %d package comments, want 1", room, len(commented)))
			continue
		}
		f := commented[0]
		name := strings.TrimSuffix(f.ast.Name.Name, "_test")
		if name != "main" && !strings.HasPrefix(f.ast.Doc.Text(), "Package "+name+" ") {
			bad = append(bad, f.at(f.ast.Doc, "the package comment does not begin with %q", "Package "+name))
		}
	}
	return bad
}

// checkFormat finds files that gofmt would change.
func checkFormat(t *tree) []string {
	var bad []string
	for _, f := range t.files {
		if formatted, err := format.Source(f.src); err != nil || !bytes.Equal(formatted, f.src) {
			bad = append(bad, f.path+": not gofmt clean")
		}
	}
	return bad
}

// checkSleeps finds sleeping tests. There is no list of exceptions: a test
// waits for an event, or for a deadline of its own clock. Where that clock is
// testing/synctest's, sleeping is how it is moved, and takes no time.
func checkSleeps(t *tree) []string {
	var bad []string
	for _, f := range t.files {
		if !f.isTest() || f.has("testing/synctest") {
			continue
		}
		for name, n := range f.calls("time", "Sleep") {
			bad = append(bad, f.at(n, "%s in a test: wait for the event instead", name))
		}
	}
	return bad
}

// unfinished matches what code and docs must not hold. It is spelled so that
// this file passes.
var unfinished = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X|(?i:phase [2-9]))\b`)

// writtenExts are the names of files that people write and others read.
var writtenExts = []string{"", ".go", ".md", ".js", ".mjs", ".ts", ".html", ".css", ".sh", ".txt", ".conf"}

// checkWords finds unfinished business in what people wrote. Built assets, in
// directories named dist, are other people's words.
func checkWords(t *tree) []string {
	var bad []string
	for _, p := range t.paths {
		if !slices.Contains(writtenExts, path.Ext(p)) || slices.Contains(strings.Split(p, "/"), "dist") || p == "kj" {
			continue
		}
		b, err := fs.ReadFile(t.fsys, p)
		if err != nil {
			bad = append(bad, err.Error())
			continue
		}
		for i, line := range strings.Split(string(b), "\n") {
			if m := unfinished.FindString(line); m != "" {
				bad = append(bad, fmt.Sprintf("%s:%d: %q: finish it or write an issue", p, i+1, m))
			}
		}
	}
	return bad
}

// declared collects, for each package name, what its shipped files declare:
// "Name" for top-level names, "Type.Name" for methods and struct fields.
func declared(t *tree) map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for _, f := range t.files {
		if f.isTest() || f.ast.Name.Name == "main" {
			continue
		}
		names := all[f.ast.Name.Name]
		if names == nil {
			names = map[string]bool{}
			all[f.ast.Name.Name] = names
		}
		for _, decl := range f.ast.Decls {
			declare(names, decl)
		}
	}
	return all
}

func declare(names map[string]bool, decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names[d.Name.Name] = true
		} else if typ := receiver(d.Recv.List[0].Type); typ != "" {
			names[typ+"."+d.Name.Name] = true
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names[n.Name] = true
				}
			case *ast.TypeSpec:
				names[s.Name.Name] = true
				declareMembers(names, s)
			}
		}
	}
}

func declareMembers(names map[string]bool, s *ast.TypeSpec) {
	var fields *ast.FieldList
	switch typ := s.Type.(type) {
	case *ast.StructType:
		fields = typ.Fields
	case *ast.InterfaceType:
		fields = typ.Methods
	default:
		return
	}
	for _, field := range fields.List {
		for _, n := range field.Names {
			names[s.Name.Name+"."+n.Name] = true
		}
	}
}

func receiver(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}
