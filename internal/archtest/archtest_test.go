package archtest

import (
	"os"
	"path/filepath"
	"testing"
)

// root is where go test stands, seen from this package.
const root = "../.."

// checks are the checkers that need nothing but the source.
var checks = []struct {
	name  string
	check func(*tree) []string
}{
	{"rooms import what the table gives them", checkRooms},
	{"pure rooms do no I/O", checkPure},
	{"dependencies come through their doorway", checkDoorways},
	{"the page's packages come through their doorway", checkPageDoorways},
	{"one package comment each", checkComments},
	{"gofmt clean", checkFormat},
	{"known names at the top level", checkTopLevel},
	{"no sleeps in tests", checkSleeps},
	{"nothing unfinished", checkWords},
	{"links lead somewhere", checkLinks},
	{"code names in docs exist", checkNames},
}

func TestTidy(t *testing.T) {
	tree, err := load(os.DirFS(root))
	if err != nil {
		t.Fatalf("read the module: %v", err)
	}
	if len(tree.files) == 0 {
		abs, _ := filepath.Abs(root)
		t.Fatalf("no Go files below %s", abs)
	}
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			for _, finding := range c.check(tree) {
				t.Error(finding)
			}
		})
	}
}
