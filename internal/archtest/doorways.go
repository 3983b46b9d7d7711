package archtest

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// dependenciesPage is where the doorways are written down: one table row for
// each module, `module` | what for | who imports it | what without it. Who
// imports it is a list of rooms in backticks, the word tests when only test
// files do, or the word tool when nothing does.
const dependenciesPage = "docs/dependencies.md"

// doorway is one row of the page.
type doorway struct {
	module string
	rooms  []string // that may import it
	tests  bool     // imported by test files only
	tool   bool     // run, never imported
}

var backticked = regexp.MustCompile("`([^`]+)`")

// checkDoorways holds go.mod, the page and the imports against each other.
func checkDoorways(t *tree) []string {
	doors, bad := readDoorways(t.fsys)
	direct, tools, err := readGoMod(t.fsys)
	if err != nil {
		return append(bad, err.Error())
	}
	for _, m := range append(slices.Clone(direct), tools...) {
		if n := countDoors(doors, m); n != 1 {
			bad = append(bad, fmt.Sprintf("%s: %d rows for %s, want 1", dependenciesPage, n, m))
		}
	}
	for _, d := range doors {
		if !slices.Contains(direct, d.module) && !slices.Contains(tools, d.module) {
			bad = append(bad, fmt.Sprintf("%s: go.mod does not require %s", dependenciesPage, d.module))
		}
	}
	return append(bad, checkThirdParty(t, doors)...)
}

// checkThirdParty finds imports past the doorway and rows that nothing uses.
func checkThirdParty(t *tree, doors []doorway) []string {
	var bad []string
	used := map[string][]string{} // module to the rooms that import it; "tests" for test files
	for _, f := range t.files {
		for p, n := range f.imports {
			first, _, _ := strings.Cut(p, "/")
			if !strings.Contains(first, ".") {
				continue
			}
			i := slices.IndexFunc(doors, func(d doorway) bool { return within(p, d.module) })
			switch {
			case i < 0:
				bad = append(bad, f.at(n, "%s has no row in %s", p, dependenciesPage))
			case f.isTest():
				used[doors[i].module] = append(used[doors[i].module], "tests")
			case !slices.Contains(doors[i].rooms, f.room()):
				bad = append(bad, f.at(n, "%s may not import %s: %s names its doorway", f.room(), p, dependenciesPage))
			default:
				used[doors[i].module] = append(used[doors[i].module], f.room())
			}
		}
	}
	for _, d := range doors {
		for _, room := range d.rooms {
			if !slices.Contains(used[d.module], room) {
				bad = append(bad, fmt.Sprintf("%s: %s does not import %s", dependenciesPage, room, d.module))
			}
		}
		if d.tests && !slices.Contains(used[d.module], "tests") {
			bad = append(bad, fmt.Sprintf("%s: no test imports %s", dependenciesPage, d.module))
		}
	}
	return bad
}

func countDoors(doors []doorway, module string) int {
	n := 0
	for _, d := range doors {
		if d.module == module {
			n++
		}
	}
	return n
}

// readDoorways parses the rows of the page that begin with a backticked name.
func readDoorways(fsys fs.FS) (doors []doorway, bad []string) {
	page, err := fs.ReadFile(fsys, dependenciesPage)
	if err != nil {
		return nil, []string{err.Error()}
	}
	modules, _, _ := strings.Cut(string(page), pageHeading)
	for i, line := range strings.Split(modules, "\n") {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for j := range cells {
			cells[j] = strings.TrimSpace(cells[j])
		}
		if len(cells) != 4 || slices.Contains(cells, "") {
			bad = append(bad, fmt.Sprintf("%s:%d: want module, what for, imported by, without it", dependenciesPage, i+1))
			continue
		}
		d := doorway{module: strings.Trim(cells[0], "`"), tests: cells[2] == "tests", tool: cells[2] == "tool"}
		for _, m := range backticked.FindAllStringSubmatch(cells[2], -1) {
			d.rooms = append(d.rooms, m[1])
		}
		if len(d.rooms) == 0 && !d.tests && !d.tool {
			bad = append(bad, fmt.Sprintf("%s:%d: nobody imports %s", dependenciesPage, i+1, d.module))
		}
		doors = append(doors, d)
	}
	return doors, bad
}

// readGoMod returns the direct requirements and the modules of the tools.
func readGoMod(fsys fs.FS) (direct, tools []string, err error) {
	b, err := fs.ReadFile(fsys, "go.mod")
	if err != nil {
		return nil, nil, err
	}
	var required, toolPaths []string
	block := ""
	for _, line := range strings.Split(string(b), "\n") {
		indirect := strings.Contains(line, "// indirect")
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		switch {
		case len(words) == 2 && words[1] == "(":
			block = words[0]
			continue
		case words[0] == ")":
			block = ""
			continue
		case block != "":
			words = append([]string{block}, words...)
		}
		switch words[0] {
		case "require":
			required = append(required, words[1])
			if !indirect {
				direct = append(direct, words[1])
			}
		case "tool":
			toolPaths = append(toolPaths, words[1])
		}
	}
	for _, p := range toolPaths {
		for _, m := range required {
			if within(p, m) {
				tools = append(tools, m)
			}
		}
	}
	return direct, tools, nil
}
