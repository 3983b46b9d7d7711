package shelldoor

import (
	"fmt"
	"strings"
)

func showNewBlock(s *screen, b struct {
	Block string `json:"block_id"`
}) error {
	s.printf("%s\n", b.Block)
	return nil
}

type writtenRow struct {
	Block   string `json:"block_id"`
	Version uint64 `json:"version"`
	Change  string `json:"change"`
}

func showWritten(s *screen, w writtenRow) error {
	if w.Change == "" {
		s.printf("%s  version %d, nothing to write\n", w.Block, w.Version)
		return nil
	}
	s.printf("%s  version %d, change %s\n", w.Block, w.Version, short(w.Change))
	return nil
}

func showAppended(s *screen, a struct {
	Block    string `json:"block_id"`
	Version  uint64 `json:"version"`
	Durable  bool   `json:"durable"`
	Buffered int    `json:"buffered"`
}) error {
	if !a.Durable {
		s.printf("%s  version %d, %s waiting\n", a.Block, a.Version, plural(a.Buffered, "character", "characters"))
		return nil
	}
	s.printf("%s  version %d\n", a.Block, a.Version)
	return nil
}

func showRead(s *screen, b struct {
	Content string `json:"content"`
}) error {
	s.verbatim(b.Content)
	return nil
}

// showBlocks lists blocks as a tree.
func showBlocks(s *screen, list struct {
	Blocks []struct {
		ID      string `json:"id"`
		Depth   int    `json:"depth"`
		Kind    string `json:"kind"`
		Role    string `json:"role"`
		Status  string `json:"status"`
		Summary string `json:"summary"`
		Author  string `json:"author"`
		Deleted bool   `json:"deleted"`
	} `json:"blocks"`
	Next string `json:"next"`
}) error {
	if len(list.Blocks) == 0 {
		fmt.Fprintln(s.notes, `no blocks; make one with kj block add CONTEXT TEXT`)
		return nil
	}
	rows := [][]string{{"ID", "KIND", "ROLE", "STATUS", "AUTHOR", "SUMMARY"}}
	for _, b := range list.Blocks {
		status := b.Status
		if b.Deleted {
			status += ", deleted"
		}
		rows = append(rows, []string{b.ID, strings.Repeat("  ", b.Depth) + b.Kind, b.Role, status, b.Author, oneLine(b.Summary, 60)})
	}
	if err := s.table(rows); err != nil {
		return err
	}
	more(s, list.Next)
	return nil
}

func showFound(s *screen, found struct {
	Matches []struct {
		Content string `json:"content"`
	} `json:"matches"`
	Total     int  `json:"total_matches"`
	Truncated bool `json:"truncated"`
}) error {
	for i, m := range found.Matches {
		if i > 0 {
			s.printf("%s\n", s.paint(faint, "--"))
		}
		s.printf("%s\n", s.clean(strings.TrimRight(m.Content, "\n")))
	}
	if found.Truncated {
		fmt.Fprintf(s.notes, "%d of %d shown; --max-matches shows more\n", len(found.Matches), found.Total)
	}
	return nil
}

// showMatches shows the lines found, below the block that they are in.
func showMatches(s *screen, found struct {
	Matches []struct {
		Context string   `json:"context"`
		Block   string   `json:"block_id"`
		Line    int      `json:"line"`
		Content string   `json:"content"`
		Before  []string `json:"before"`
		After   []string `json:"after"`
	} `json:"matches"`
	Truncated bool `json:"truncated"`
}) error {
	last := ""
	for _, m := range found.Matches {
		if m.Block != last {
			s.printf("%s\n", s.paint(cyan, m.Context+"  "+m.Block))
			last = m.Block
		}
		n := m.Line - len(m.Before) + 1
		for _, line := range m.Before {
			s.printf("%s %s\n", s.paint(faint, fmt.Sprintf("%6d-", n)), s.clean(line))
			n++
		}
		s.printf("%s %s\n", s.paint(yellow, fmt.Sprintf("%6d:", n)), s.clean(m.Content))
		for _, line := range m.After {
			n++
			s.printf("%s %s\n", s.paint(faint, fmt.Sprintf("%6d-", n)), s.clean(line))
		}
	}
	switch {
	case len(found.Matches) == 0:
		fmt.Fprintln(s.notes, "nothing matches")
	case found.Truncated:
		fmt.Fprintf(s.notes, "there is more than these %d; --max-matches shows it\n", len(found.Matches))
	}
	return nil
}
