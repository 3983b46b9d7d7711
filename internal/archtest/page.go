package archtest

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// pageHeading begins the part of the dependencies page that is about the web
// page: a row for each npm package that it is built from, `package` | what for
// | the folders of its sources that import it, in backticks.
const pageHeading = "\n## The page\n"

const (
	pagePackages = "internal/ui/package.json"
	pageSources  = "internal/ui/src"
)

var pageImport = regexp.MustCompile(`(?:from|import\(|import)\s*"((?:@[\w.-]+/)?[\w.-]+)(?:/[^"]*)?"`)

// checkPageDoorways holds package.json, the page of dependencies and the
// imports of the web page's sources against each other.
func checkPageDoorways(t *tree) []string {
	wanted, err := readPagePackages(t.fsys)
	if err != nil {
		return []string{err.Error()}
	}
	doors, bad := readPageDoorways(t.fsys)
	used, err := readPageImports(t.fsys)
	if err != nil {
		return append(bad, err.Error())
	}
	for _, p := range wanted {
		if n := countDoors(doors, p); n != 1 {
			bad = append(bad, fmt.Sprintf("%s: %d rows for %s, want 1", dependenciesPage, n, p))
		}
	}
	for _, d := range doors {
		if !slices.Contains(wanted, d.module) {
			bad = append(bad, fmt.Sprintf("%s: %s does not require %s", dependenciesPage, pagePackages, d.module))
			continue
		}
		slices.Sort(d.rooms)
		if got := used[d.module]; !slices.Equal(got, d.rooms) {
			bad = append(bad, fmt.Sprintf("%s: %s is imported by %v, the row says %v", dependenciesPage, d.module, got, d.rooms))
		}
	}
	return bad
}

// readPagePackages lists what the web page requires; what only builds and tests
// it does not count.
func readPagePackages(fsys fs.FS) ([]string, error) {
	b, err := fs.ReadFile(fsys, pagePackages)
	if err != nil {
		return nil, err
	}
	var p struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	if err := json.Unmarshal(b, &p); err != nil {
		return nil, fmt.Errorf("%s: %w", pagePackages, err)
	}
	var names []string
	for name := range p.Dependencies {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

func readPageDoorways(fsys fs.FS) (doors []doorway, bad []string) {
	b, err := fs.ReadFile(fsys, dependenciesPage)
	if err != nil {
		return nil, []string{err.Error()}
	}
	_, page, found := strings.Cut(string(b), pageHeading)
	if !found {
		return nil, []string{fmt.Sprintf("%s: there is no heading %q", dependenciesPage, strings.TrimSpace(pageHeading))}
	}
	for line := range strings.SplitSeq(page, "\n") {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 || strings.TrimSpace(cells[1]) == "" {
			bad = append(bad, fmt.Sprintf("%s: want package, what for, imported by: %s", dependenciesPage, line))
			continue
		}
		d := doorway{module: strings.Trim(strings.TrimSpace(cells[0]), "`")}
		for _, m := range backticked.FindAllStringSubmatch(cells[2], -1) {
			d.rooms = append(d.rooms, m[1])
		}
		doors = append(doors, d)
	}
	return doors, bad
}

// readPageImports maps each package to the folders that import it, sorted. The
// files beside the folders count as the folder main. Tests may import what they
// need.
func readPageImports(fsys fs.FS) (map[string][]string, error) {
	used := map[string][]string{}
	err := fs.WalkDir(fsys, pageSources, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "testing" {
				return fs.SkipDir
			}
			return nil
		}
		ext := path.Ext(name)
		if (ext != ".ts" && ext != ".tsx") || strings.Contains(path.Base(name), ".test.") {
			return nil
		}
		b, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		folder, _, inFolder := strings.Cut(strings.TrimPrefix(name, pageSources+"/"), "/")
		if !inFolder {
			folder = "main"
		}
		for _, m := range pageImport.FindAllStringSubmatch(string(b), -1) {
			if !slices.Contains(used[m[1]], folder) {
				used[m[1]] = append(used[m[1]], folder)
			}
		}
		return nil
	})
	for _, folders := range used {
		slices.Sort(folders)
	}
	return used, err
}
