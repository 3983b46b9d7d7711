package shelldoor

import (
	"fmt"
	"strings"
)

func showHistory(s *screen, h struct {
	Entries []struct {
		Change  string   `json:"change"`
		Version uint64   `json:"version"`
		Time    string   `json:"time"`
		Author  string   `json:"author"`
		Via     string   `json:"via"`
		How     []string `json:"how"`
		Message string   `json:"message"`
	} `json:"entries"`
	Next string `json:"next"`
}) error {
	rows := [][]string{{"VERSION", "CHANGE", "TIME", "AUTHOR", "WHAT"}}
	for _, e := range h.Entries {
		what := strings.Join(e.How, ", ")
		if e.Message != "" {
			what += "  (" + oneLine(e.Message, 40) + ")"
		}
		rows = append(rows, []string{fmt.Sprint(e.Version), short(e.Change), when(e.Time), by(e.Author, e.Via), what})
	}
	if err := s.table(rows); err != nil {
		return err
	}
	more(s, h.Next)
	return nil
}

// by names an author, and the relay through which the work came.
func by(author, via string) string {
	if via != "" {
		return oneLine(author, 16) + " via " + via
	}
	return oneLine(author, 20)
}

type blameRun struct {
	Start  int    `json:"start"`
	Line   *int   `json:"line"`
	Text   string `json:"text"`
	Author string `json:"author"`
	Via    string `json:"via"`
	Change string `json:"change"`
	Time   string `json:"time"`
}

// showBlame prints a line for each line, or for each run of characters, as git
// blame does: the change, who made it and when, and what it left.
func showBlame(s *screen, blame struct {
	Runs []blameRun `json:"runs"`
}) error {
	width := 0
	for _, r := range blame.Runs {
		width = max(width, len([]rune(by(r.Author, r.Via))))
	}
	for _, r := range blame.Runs {
		at, text := r.Start, r.Text
		if r.Line != nil {
			at = *r.Line + 1
			text = strings.TrimSuffix(text, "\n")
		} else {
			text = fmt.Sprintf("%q", text)
		}
		who := by(r.Author, r.Via)
		who += strings.Repeat(" ", width-len([]rune(who)))
		s.printf("%s (%s %s %4d) %s\n", s.paint(yellow, short(r.Change)), s.clean(who), when(r.Time), at, s.clean(text))
	}
	return nil
}

func showUndone(s *screen, u struct {
	Undone []struct {
		Changes []string `json:"changes"`
		Time    string   `json:"time"`
		What    string   `json:"what"`
		Blocks  []string `json:"blocks"`
	} `json:"undone"`
	Change string `json:"change"`
}) error {
	for _, unit := range u.Undone {
		what := unit.What
		if what == "" {
			what = "edits"
		}
		s.printf("took back %s of %s: %s in %s\n", what, when(unit.Time),
			plural(len(unit.Changes), "change", "changes"), strings.Join(unit.Blocks, ", "))
	}
	if u.Change != "" {
		fmt.Fprintf(s.notes, "to bring it back: kj undo --change %s\n", u.Change)
	}
	return nil
}
