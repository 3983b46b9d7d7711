package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// module is the path of the module under test, and the name of its root room.
const module = "kaijutsu"

// skippedDirs are not walked: what git, npm and test runs leave there, and the
// inputs of tests, are not source.
var skippedDirs = []string{".git", "node_modules", "testdata"}

// tree is the module's source, read once.
type tree struct {
	fsys  fs.FS
	paths []string // every file, slash-separated, from the root
	files []goFile
}

// goFile is one parsed Go file.
type goFile struct {
	path string
	src  []byte
	fset *token.FileSet
	ast  *ast.File
}

// load reads every file name and parses every Go file below the root of fsys.
func load(fsys fs.FS) (*tree, error) {
	t := &tree{fsys: fsys}
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains(skippedDirs, d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		t.paths = append(t.paths, p)
		if path.Ext(p) == ".go" {
			f, err := parse(fsys, p)
			if err != nil {
				return err
			}
			t.files = append(t.files, f)
		}
		return nil
	})
	return t, err
}

func parse(fsys fs.FS, p string) (goFile, error) {
	src, err := fs.ReadFile(fsys, p)
	if err != nil {
		return goFile{}, err
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, p, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return goFile{}, fmt.Errorf("parse %s: %w", p, err)
	}
	return goFile{p, src, fset, file}, nil
}

// room returns the directory that holds the file, "kaijutsu" for the root.
func (f goFile) room() string {
	if dir := path.Dir(f.path); dir != "." {
		return dir
	}
	return module
}

func (f goFile) isTest() bool { return strings.HasSuffix(f.path, "_test.go") }

// at says that something is wrong at a node of the file.
func (f goFile) at(n ast.Node, format string, args ...any) string {
	return fmt.Sprintf("%s:%d: %s", f.path, f.fset.Position(n.Pos()).Line, fmt.Sprintf(format, args...))
}

// has reports whether the file imports a path.
func (f goFile) has(imported string) bool {
	for p := range f.imports {
		if p == imported {
			return true
		}
	}
	return false
}

// imports yields the imported paths with the node to blame.
func (f goFile) imports(yield func(string, ast.Node) bool) {
	for _, spec := range f.ast.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil || !yield(p, spec) {
			return
		}
	}
}

// calls yields every mention of pkg.Name in the file, whatever name the file
// gave to the import of pkg.
func (f goFile) calls(pkg string, names ...string) func(func(string, ast.Node) bool) {
	return func(yield func(string, ast.Node) bool) {
		local := ""
		for _, spec := range f.ast.Imports {
			if spec.Path.Value == strconv.Quote(pkg) {
				local = path.Base(pkg)
				if spec.Name != nil {
					local = spec.Name.Name
				}
			}
		}
		if local == "" {
			return
		}
		stopped := false
		ast.Inspect(f.ast, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok || stopped {
				return !stopped
			}
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == local && slices.Contains(names, sel.Sel.Name) {
				stopped = !yield(pkg+"."+sel.Sel.Name, sel)
			}
			return !stopped
		})
	}
}

// rooms returns the directories that hold Go files, ascending.
func (t *tree) rooms() []string {
	var rooms []string
	for _, f := range t.files {
		rooms = append(rooms, f.room())
	}
	slices.Sort(rooms)
	return slices.Compact(rooms)
}
