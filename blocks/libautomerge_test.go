package blocks

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDeclarationsMatchTheHeader holds our declarations of the C library
// against the header that comes with it.
func TestDeclarationsMatchTheHeader(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/automerge/automerge-go").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	header := normalize(string(readFile(t, filepath.Join(strings.TrimSpace(string(out)), "automerge.h"))))
	ours := string(readFile(t, "libautomerge.h"))
	declared := regexp.MustCompile(`(?m)^[a-zA-Z].* \*?AM\w+\(.*\);$`).FindAllString(ours, -1)
	if len(declared) < 30 {
		t.Fatalf("found only %d declarations", len(declared))
	}
	for _, d := range declared {
		if !strings.Contains(header, normalize(d)) {
			t.Errorf("the header does not declare %s", d)
		}
	}
	for name, value := range map[string]string{
		"AM_OBJ_TYPE_LIST": "=1,", "AM_STATUS_OK": ",", "AM_VAL_TYPE_VOID": "=(1<<0),",
		"AM_VAL_TYPE_OBJ_TYPE": "=(1<<12),", "AM_VAL_TYPE_STR": "=(1<<13),",
	} {
		if !strings.Contains(header, name+value) {
			t.Errorf("the header does not say %s%s", name, value)
		}
	}
	if list := regexp.MustCompile(`AM_OBJ_TYPE_LIST=1,.*?AM_OBJ_TYPE_MAP,.*?AM_OBJ_TYPE_TEXT,`); !list.MatchString(header) {
		t.Error("the header does not number list, map and text 1, 2, 3")
	}
	if !strings.Contains(header, "uint8_tdetail[+8+8+8]") {
		t.Error("the header's AMitems is not 24 bytes")
	}
}

// normalize takes away from C what makes no difference to a caller.
func normalize(c string) string {
	c = regexp.MustCompile(`\b(struct|const)\b`).ReplaceAllString(c, "")
	for name, underlying := range map[string]string{"AMobjType": "uint8_t", "AMstatus": "uint8_t", "AMvalType": "uint32_t"} {
		c = regexp.MustCompile(`\b`+name+`\b`).ReplaceAllString(c, underlying)
	}
	return strings.Join(strings.Fields(c), "")
}
