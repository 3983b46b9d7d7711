package shelldoor

import (
	"cmp"
	"fmt"
	"strings"
)

// mountRow is a mount as the server shows it, as far as people are shown.
type mountRow struct {
	Path      string `json:"path"`
	Source    string `json:"source"`
	Kind      string `json:"kind"`
	Writable  bool   `json:"rw"`
	Branch    string `json:"branch"`
	Head      string `json:"head"`
	Context   string `json:"context"`
	Dir       string `json:"dir"`
	Node      string `json:"node"`
	State     string `json:"state"`
	Reason    string `json:"reason"`
	Dirty     int    `json:"dirty"`
	Conflicts int    `json:"conflicts"`
	Notice    string `json:"notice"`
}

// mode says whether a mount may be written to.
func (m mountRow) mode() string {
	if m.Writable {
		return "rw"
	}
	return "ro"
}

// how says how a mount fares, in a few words.
func (m mountRow) how() string {
	words := []string{cmp.Or(m.State, "ready")}
	if m.State == "elsewhere" {
		words[0] = "on node " + m.Node
	}
	if m.Reason != "" {
		words[0] += " (" + oneLine(m.Reason, 60) + ")"
	}
	if m.Dirty > 0 {
		words = append(words, plural(m.Dirty, "file waits to be written", "files wait to be written"))
	}
	if m.Conflicts > 0 {
		words = append(words, plural(m.Conflicts, "conflict", "conflicts"))
	}
	return strings.Join(words, ", ")
}

func showMounted(s *screen, m mountRow) error {
	what := m.Kind
	if m.Branch != "" {
		what += " " + m.Branch
		if m.Head != "" {
			what += " at " + short(m.Head)
		}
	}
	s.printf("%s  %s, %s\n", s.clean(m.Path), s.clean(what), m.mode())
	if m.Dir != "" && m.Dir != m.Source {
		s.printf("  on disk  %s\n", s.clean(m.Dir))
	}
	if m.Context != "" {
		s.printf("  context  %s\n", m.Context)
	}
	if m.State != "" && m.State != "ready" {
		s.printf("  state    %s\n", s.clean(m.how()))
	}
	if m.Notice != "" {
		fmt.Fprintf(s.notes, "%s\n", harmless(m.Notice))
	}
	return nil
}

func showUnmounted(s *screen, m mountRow) error {
	s.printf("Unmounted %s\n", s.clean(m.Path))
	if m.Notice != "" {
		fmt.Fprintf(s.notes, "%s\n", harmless(m.Notice))
	}
	return nil
}

func showMounts(s *screen, list struct {
	Mounts []mountRow `json:"mounts"`
}) error {
	if len(list.Mounts) == 0 {
		fmt.Fprintln(s.notes, "nothing is mounted; kj mount /mnt/app git:~/src/app mounts a repository")
		return nil
	}
	rows := [][]string{{"PATH", "MODE", "SOURCE", "BRANCH", "STATE"}}
	for _, m := range list.Mounts {
		rows = append(rows, []string{m.Path, m.mode(), orDash(m.Source), orDash(m.Branch), m.how()})
	}
	return s.table(rows)
}

// shortEnd is the end of an id, for people.
func shortEnd(id string) string { return id[max(0, len(id)-shortDigits):] }
