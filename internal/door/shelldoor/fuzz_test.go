package shelldoor_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzLines runs any line, words separated by newlines: it is refused, or makes
// calls whose parameters are JSON, unless the line gave the JSON itself.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{
		"block\nappend\n" + block + "\n- text",
		"block\nappend\nRelease\n-\n--role\ntool",
		"block\nedit\n" + block + "\n--insert\n0:x\n--expect=y",
		"block\nread\nRelease\n" + block + "\n--range\n1:2",
		"ctx\nimport\nx.md",
		"ctx\nexport\nPlan\n-o\nx.automerge",
		"search\n--contexts\na\n--max-matches=-3\nq",
		"block\nls\n--params\n{\"a\":1}\n--kind\ntext",
		"block\nset\n" + block + "\n--metadata\n@@",
		"__complete\nblock\nread\nRelease\n",
		"help\nblock",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		t.Chdir(t.TempDir())
		k := answering(`{"block_id":"` + block + `","context":"c"}`)
		k.in = "standard\xffinput"
		if err := k.run(strings.Split(text, "\n")...); err != nil {
			return
		}
		for _, c := range k.calls {
			if !json.Valid([]byte(c.raw)) && !strings.Contains(text, "--params") {
				t.Errorf("%q calls %s with %q", text, c.op, c.raw)
			}
		}
	})
}
