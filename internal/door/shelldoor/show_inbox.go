package shelldoor

import (
	"fmt"
	"strings"
)

// showDriftList lists contexts with what waits for and in them; a star is at
// the caller's own.
func showDriftList(s *screen, list struct {
	Contexts []struct {
		Place
		Current  bool `json:"current"`
		Blocks   int  `json:"blocks"`
		Unread   int  `json:"unread"`
		Staged   int  `json:"staged"`
		Archived bool `json:"archived"`
	} `json:"contexts"`
	Kernels []string `json:"kernels"`
	Next    string   `json:"next"`
}) error {
	if len(list.Contexts) == 0 {
		fmt.Fprintln(s.notes, `no contexts yet; make one with kj ctx new "A title"`)
		return nil
	}
	rows := [][]string{{"  ID", "LABEL", "BLOCKS", "UNREAD", "STAGED", "TITLE"}}
	for _, c := range list.Contexts {
		mark := "  "
		if c.Current {
			mark = "* "
		}
		title := oneLine(c.Title, 60)
		if c.Archived {
			title += "  (archived)"
		}
		rows = append(rows, []string{mark + c.Short, orDash(c.Label), fmt.Sprint(c.Blocks), fmt.Sprint(c.Unread), fmt.Sprint(c.Staged), title})
	}
	if err := s.table(rows); err != nil {
		return err
	}
	if len(list.Kernels) > 0 {
		s.printf("other kernels: %s\n", s.clean(strings.Join(list.Kernels, ", ")))
	}
	more(s, list.Next)
	return nil
}

func showGraph(s *screen, g struct {
	Text  string `json:"text"`
	Edges []struct {
		From  Place  `json:"from"`
		To    Place  `json:"to"`
		Kind  string `json:"kind"`
		Count int    `json:"count"`
		Last  string `json:"last"`
	} `json:"edges"`
}) error {
	if g.Text != "" {
		s.verbatim(g.Text)
		return nil
	}
	if len(g.Edges) == 0 {
		s.printf("Nothing has drifted yet.\n")
		return nil
	}
	rows := [][]string{{"FROM", "TO", "KIND", "COUNT", "LAST"}}
	for _, e := range g.Edges {
		rows = append(rows, []string{e.From.String(), e.To.String(), e.Kind, fmt.Sprint(e.Count), orDash(when(e.Last))})
	}
	return s.table(rows)
}

func showInbox(s *screen, in struct {
	Unread  int `json:"unread"`
	Letters []struct {
		Context Place  `json:"context"`
		Block   string `json:"block_id"`
		From    Place  `json:"from"`
		Kind    string `json:"kind"`
		By      string `json:"by"`
		At      string `json:"at"`
		Unread  bool   `json:"unread"`
		Stale   bool   `json:"stale"`
		Act     string `json:"act"`
		Content string `json:"content"`
	} `json:"letters"`
	Next string `json:"next"`
}) error {
	if len(in.Letters) == 0 {
		s.printf("No drifts here.\n")
		return nil
	}
	for i, l := range in.Letters {
		if i > 0 {
			s.printf("\n")
		}
		words := []string{l.Kind, l.By, when(l.At)}
		if l.Act != "" {
			words = append(words, "asks to act: "+l.Act)
		}
		if l.Stale {
			words = append(words, s.paint(yellow, "stale"))
		}
		mark := " "
		if l.Unread {
			mark = "*"
		}
		s.printf("%s %s → %s  %s\n  %s\n%s\n", mark, s.clean(l.From.String()), s.clean(l.Context.String()), strings.Join(words, " · "), s.paint(faint, l.Block), s.clean(strings.TrimRight(l.Content, "\n")))
	}
	s.printf("\n%d unread\n", in.Unread)
	more(s, in.Next)
	return nil
}

func showCitation(s *screen, c struct {
	Handle string `json:"handle"`
	State  string `json:"state"`
	Reason string `json:"reason"`
	Text   string `json:"text"`
	Diff   string `json:"diff"`
}) error {
	state := c.State
	if c.Reason != "" && c.Reason != c.State {
		state += ": " + c.Reason
	}
	fmt.Fprintf(s.notes, "%s\n", s.clean(state))
	s.verbatim(c.Text)
	if c.Diff != "" {
		if c.Text != "" && !strings.HasSuffix(c.Text, "\n") {
			fmt.Fprintln(s.notes)
		}
		fmt.Fprintf(s.notes, "since then:\n%s\n", s.clean(strings.TrimRight(c.Diff, "\n")))
	}
	return nil
}

func showHandle(s *screen, c struct {
	Handle string `json:"handle"`
}) error {
	s.printf("%s\n", c.Handle)
	return nil
}
