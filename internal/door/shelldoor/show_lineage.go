package shelldoor

import "strings"

// kinRow is a context in a tree of forks, as far as people are shown.
type kinRow struct {
	Short      string `json:"short"`
	Label      string `json:"label"`
	Title      string `json:"title"`
	Depth      int    `json:"depth"`
	Here       bool   `json:"here"`
	Archived   bool   `json:"archived"`
	Deleted    bool   `json:"deleted"`
	ForkedFrom *struct {
		Heads []string `json:"heads"`
	} `json:"forked_from"`
}

// showLineage draws a tree of forks; the context that was asked for has a star.
func showLineage(s *screen, tree struct {
	Contexts []kinRow `json:"contexts"`
}) error {
	var rows [][]string
	stems := branches(tree.Contexts)
	for i, c := range tree.Contexts {
		mark, title := " ", oneLine(c.Title, 60)
		if c.Here {
			mark = "*"
		}
		switch {
		case c.Deleted:
			title = "(deleted)"
		case c.Archived:
			title += "  (archived)"
		}
		rows = append(rows, []string{mark + " " + stems[i] + c.Short, c.Label, title, forkedAt(c)})
	}
	return s.table(rows)
}

// forkedAt says where a fork left its parent.
func forkedAt(c kinRow) string {
	if c.ForkedFrom == nil {
		return ""
	}
	heads := make([]string, len(c.ForkedFrom.Heads))
	for i, h := range c.ForkedFrom.Heads {
		heads[i] = short(h)
	}
	return "@" + strings.Join(heads, ",")
}

// branches draws what leads to each row of a tree whose rows have depths.
func branches(rows []kinRow) []string {
	stems := make([]string, len(rows))
	goes := make(map[int]bool) // depths at which another row follows
	for i := len(rows) - 1; i >= 0; i-- {
		depth := rows[i].Depth
		var b strings.Builder
		for level := 1; level < depth; level++ {
			if goes[level] {
				b.WriteString("│  ")
			} else {
				b.WriteString("   ")
			}
		}
		switch {
		case depth > 0 && goes[depth]:
			b.WriteString("├─ ")
		case depth > 0:
			b.WriteString("└─ ")
		}
		stems[i] = b.String()
		for level := range goes {
			if level > depth {
				delete(goes, level)
			}
		}
		goes[depth] = true
	}
	return stems
}
