package shelldoor

import (
	"fmt"
	"strings"
)

type changed struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// showDiff prints what differs block by block, the lines as a unified diff.
func showDiff(s *screen, d struct {
	From, To struct {
		Version uint64 `json:"version"`
	}
	Title  *changed `json:"title"`
	Blocks []struct {
		ID     string   `json:"id"`
		Kind   string   `json:"kind"`
		Role   string   `json:"role"`
		How    []string `json:"how"`
		Status *changed `json:"status"`
		Parent *changed `json:"parent"`
		Meta   *changed `json:"meta"`
		Patch  string   `json:"patch"`
	} `json:"blocks"`
}) error {
	if d.Title != nil {
		s.printf("title: %q → %q\n", d.Title.From, d.Title.To)
	}
	for _, b := range d.Blocks {
		s.printf("%s\n", s.paint(bold, fmt.Sprintf("block %s  %s · %s · %s", b.ID, b.Kind, b.Role, strings.Join(b.How, ", "))))
		for _, c := range []struct {
			name string
			*changed
		}{{"status", b.Status}, {"parent", b.Parent}, {"meta", b.Meta}} {
			if c.changed != nil {
				s.printf("%s: %s → %s\n", c.name, orNone(s.clean(c.From)), orNone(s.clean(c.To)))
			}
		}
		s.patch(b.Patch)
	}
	if len(d.Blocks) == 0 && d.Title == nil {
		fmt.Fprintf(s.notes, "no difference between version %d and version %d\n", d.From.Version, d.To.Version)
	}
	return nil
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// patch prints a unified diff.
func (s *screen) patch(patch string) {
	for line := range strings.Lines(patch) {
		text := s.clean(strings.TrimSuffix(line, "\n"))
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
			text = s.paint(bold, text)
		case strings.HasPrefix(line, "@@"):
			text = s.paint(cyan, text)
		case strings.HasPrefix(line, "+"):
			text = s.paint(green, text)
		case strings.HasPrefix(line, "-"):
			text = s.paint(red, text)
		}
		s.printf("%s\n", text)
	}
}

// showPatched prints what a patch changed or would change.
func showPatched(s *screen, p struct {
	writtenRow
	DryRun bool   `json:"dry_run"`
	Patch  string `json:"patch"`
}) error {
	s.patch(p.Patch)
	switch {
	case p.Patch == "":
		fmt.Fprintln(s.notes, "nothing to write")
	case p.DryRun:
		fmt.Fprintln(s.notes, "dry run: nothing was written")
	default:
		fmt.Fprintf(s.notes, "%s  version %d, change %s\n", p.Block, p.Version, short(p.Change))
	}
	return nil
}
