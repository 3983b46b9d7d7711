package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"path"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

var (
	mdLink    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	codeSpan  = regexp.MustCompile("`[^`]*`")
	mdHeading = regexp.MustCompile(`^#+\s+(.*)$`)
	// wireKind is a kind of event.
	wireKind = regexp.MustCompile(`^[a-z_]+\.[a-z_]+$`)
	// codeName is `package.Name` or `package.Type.Name`, with or without a call.
	codeName = regexp.MustCompile("^`([a-z][a-z0-9]*)\\.([A-Za-z]\\w*)(?:\\.([A-Za-z]\\w*))?(?:\\(.*\\))?`$")
)

// checkLinks follows the relative links of every page to a file, and to a
// heading where the link names one.
func checkLinks(t *tree) []string {
	var bad []string
	for _, p := range t.paths {
		if path.Ext(p) != ".md" {
			continue
		}
		for n, line := range proseLines(t.fsys, p) {
			for _, m := range mdLink.FindAllStringSubmatch(codeSpan.ReplaceAllString(line, ""), -1) {
				if why := follow(t.fsys, p, m[1]); why != "" {
					bad = append(bad, fmt.Sprintf("%s:%d: link %s: %s", p, n, m[1], why))
				}
			}
		}
	}
	return bad
}

// follow returns what is wrong with a link on the page at from, or "".
func follow(fsys fs.FS, from, link string) string {
	if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
		return ""
	}
	target, anchor, _ := strings.Cut(link, "#")
	file := from
	if target != "" {
		file = path.Join(path.Dir(from), target)
	}
	if _, err := fs.Stat(fsys, file); err != nil {
		return "no such file"
	}
	if anchor == "" || path.Ext(file) != ".md" {
		return ""
	}
	for _, line := range proseLines(fsys, file) {
		if m := mdHeading.FindStringSubmatch(line); m != nil && slug(m[1]) == anchor {
			return ""
		}
	}
	return "no such heading"
}

// slug is the anchor that a heading gets: lower case, spaces to hyphens,
// punctuation dropped.
func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ' || r == '-':
			return '-'
		case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// proseLines yields the numbered lines of a page outside its fenced blocks.
func proseLines(fsys fs.FS, p string) func(func(int, string) bool) {
	return func(yield func(int, string) bool) {
		b, err := fs.ReadFile(fsys, p)
		if err != nil {
			return
		}
		fenced := false
		for i, line := range strings.Split(string(b), "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "```") {
				fenced = !fenced
			} else if !fenced && !yield(i+1, line) {
				return
			}
		}
	}
}

// checkNames looks up each `package.Name` and `package.Type.Name` that a page
// mentions, where the package is one of the module's rooms. A name in lower case
// may also be one on the wire: a kind of event, or the field of a result.
func checkNames(t *tree) []string {
	var bad []string
	names, wire := declared(t), wireNames(t)
	for _, p := range t.paths {
		if path.Ext(p) != ".md" {
			continue
		}
		for n, line := range proseLines(t.fsys, p) {
			for _, span := range codeSpan.FindAllString(line, -1) {
				m := codeName.FindStringSubmatch(span)
				if m == nil || names[m[1]] == nil || isFileName(m[2]) {
					continue
				}
				if wire[m[1]+"."+m[2]] || wire[m[1]] && wire[m[2]] {
					continue
				}
				if !names[m[1]][m[2]] || m[3] != "" && !names[m[1]][m[2]+"."+m[3]] {
					bad = append(bad, fmt.Sprintf("%s:%d: the code has no %s", p, n, span))
				}
			}
		}
	}
	return bad
}

// wireNames returns what the code's texts and field tags say in lower case:
// `drift.staged`, and the fields `drift` and `held`.
func wireNames(t *tree) map[string]bool {
	names := make(map[string]bool)
	for _, f := range t.files {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING && wireKind.MatchString(text) {
					names[text] = true
				}
			case *ast.Field:
				if n.Tag != nil {
					tag, _ := strconv.Unquote(n.Tag.Value)
					name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
					names[name] = true
				}
			}
			return true
		})
	}
	return names
}

// isFileName tells `store.go` from a name in package store.
func isFileName(s string) bool {
	return s == "go" || s == "md" || s == "js" || s == "mjs" || s == "url"
}
