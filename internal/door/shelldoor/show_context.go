package shelldoor

import (
	"fmt"
	"slices"
	"strings"
)

// ContextRow is a context as the server lists it, as far as people are shown.
type ContextRow struct {
	ID         string `json:"id"`
	Short      string `json:"short"`
	Label      string `json:"label"`
	URL        string `json:"url"`
	Title      string `json:"title"`
	Blocks     int    `json:"blocks"`
	Archived   bool   `json:"archived"`
	ForkedFrom *struct {
		Context string `json:"context"`
	} `json:"forked_from"`
}

// BlockRow is a block as the server shows it, as far as people are shown.
type BlockRow struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Role    string `json:"role"`
	Status  string `json:"status"`
	Depth   int    `json:"depth"`
	Content string `json:"content"`
	Author  string `json:"author"`
	Via     string `json:"via"`
	Created string `json:"created"`
	Deleted bool   `json:"deleted"`
	Meta    string `json:"meta"`
}

// ContextDetail is a context with its blocks in order, now or at some moment.
type ContextDetail struct {
	ContextRow
	contextModel
	Version   uint64     `json:"version"`
	BlockList []BlockRow `json:"block_list"`
}

func showNewContext(s *screen, c ContextRow) error {
	s.printf("%s  %s\n", c.ID, c.URL)
	return nil
}

func showContextRow(s *screen, c ContextRow) error {
	s.printf("%s  %s%s%s\n", c.ID, s.clean(c.Title), labelMark(c.Label), archivedMark(c))
	return nil
}

// contextModel is what the agent of a context runs on.
type contextModel struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
}

// String is the model as people read it, "" when there is none.
func (m contextModel) String() string {
	if m.Provider == "" {
		return m.Model
	}
	return m.Provider + " " + m.Model
}

func showContextModel(s *screen, c struct {
	ContextRow
	contextModel
}) error {
	model := c.contextModel.String()
	if model == "" {
		model = "no model is known"
	}
	s.printf("%s  %s  %s\n", c.ID, s.clean(c.Title), s.clean(model))
	return nil
}

func labelMark(label string) string {
	if label == "" {
		return ""
	}
	return "  [" + label + "]"
}

func archivedMark(c ContextRow) string {
	if c.Archived {
		return "  (archived)"
	}
	return ""
}

// showContexts lists contexts, forks below what they were forked from.
func showContexts(s *screen, list struct {
	Contexts []ContextRow `json:"contexts"`
	Next     string       `json:"next"`
}) error {
	if len(list.Contexts) == 0 {
		fmt.Fprintln(s.notes, `no contexts yet; make one with kj ctx new "A title"`)
		return nil
	}
	there := make(map[string]bool)
	forks := make(map[string][]ContextRow)
	for _, c := range list.Contexts {
		there[c.ID] = true
	}
	var roots []ContextRow
	for _, c := range list.Contexts {
		if c.ForkedFrom != nil && there[c.ForkedFrom.Context] && c.ForkedFrom.Context != c.ID {
			forks[c.ForkedFrom.Context] = append(forks[c.ForkedFrom.Context], c)
		} else {
			roots = append(roots, c)
		}
	}
	labelled := slices.ContainsFunc(list.Contexts, func(c ContextRow) bool { return c.Label != "" })
	row := func(id, short, blocks, label, title, url string) []string {
		if !labelled {
			return []string{id, short, blocks, title, url}
		}
		return []string{id, short, blocks, label, title, url}
	}
	rows := [][]string{row("ID", "SHORT", "BLOCKS", "LABEL", "TITLE", "URL")}
	var add func(c ContextRow, stem, branch string)
	add = func(c ContextRow, stem, branch string) {
		rows = append(rows, row(c.ID, c.Short, fmt.Sprint(c.Blocks), c.Label, stem+branch+oneLine(c.Title, 40)+archivedMark(c), c.URL))
		if branch != "" {
			stem += strings.NewReplacer("├─ ", "│  ", "└─ ", "   ").Replace(branch)
		}
		for i, f := range forks[c.ID] {
			branch := "├─ "
			if i == len(forks[c.ID])-1 {
				branch = "└─ "
			}
			add(f, stem, branch)
		}
	}
	for _, c := range roots {
		add(c, "", "")
	}
	if err := s.table(rows); err != nil {
		return err
	}
	more(s, list.Next)
	return nil
}

// more says how to go on with a list that did not end.
func more(s *screen, next string) {
	if next != "" {
		fmt.Fprintf(s.notes, "there are more: --cursor %s\n", next)
	}
}

func showContext(s *screen, c ContextDetail) error {
	s.printf("%s\n%s", s.paint(bold, "# "+s.clean(c.Title)), c.ID)
	if c.URL != "" {
		s.printf("  %s", c.URL)
	}
	s.printf("\n")
	for _, line := range [][2]string{{"short", c.Short}, {"label", c.Label}, {"model", c.contextModel.String()}} {
		if line[1] != "" {
			s.printf("%s\n", s.paint(faint, s.clean(line[0]+" "+line[1])))
		}
	}
	for _, b := range c.BlockList {
		s.printf("\n%s\n%s\n", s.heading(b), s.clean(strings.TrimRight(b.Content, "\n")))
	}
	return nil
}

// heading is the lines above a block's content.
func (s *screen) heading(b BlockRow) string {
	words := []string{b.Kind, b.Role, b.Status, b.Author}
	if from := b.Origin(); from != "" {
		words = []string{b.Kind, from, b.Author}
	}
	if b.Via != "" {
		words = append(words, "via "+b.Via)
	}
	if b.Deleted {
		words = append(words, "deleted")
	}
	indent := strings.Repeat("  ", b.Depth)
	line := s.clean(indent + "── " + strings.Join(words, " · ") + "  " + when(b.Created))
	return s.paint(cyan, line) + "\n" + s.paint(faint, indent+"   "+b.ID)
}

// Heading returns the lines above a block's content, without colours.
func Heading(b BlockRow) string { return (&screen{}).heading(b) }

func showDeleted(s *screen, c ContextRow) error {
	s.printf("deleted %s  %s\n", c.ID, s.clean(c.Title))
	return nil
}
