package shelldoor

import (
	"fmt"
	"strings"
)

// commitRow is a commit that was made, or is to be made.
type commitRow struct {
	Committed bool        `json:"committed"`
	DryRun    bool        `json:"dry_run"`
	Commit    string      `json:"commit"`
	Branch    string      `json:"branch"`
	Message   string      `json:"message"`
	Author    personRow   `json:"author"`
	CoAuthors []personRow `json:"co_authors"`
	Committer personRow   `json:"committer"`
	Shares    []struct {
		Principal string `json:"principal"`
		Model     string `json:"model"`
		Chars     int    `json:"characters"`
	} `json:"shares"`
	Files []struct {
		Path    string `json:"path"`
		What    string `json:"what"`
		Added   int    `json:"added"`
		Deleted int    `json:"deleted"`
	} `json:"files"`
	Block  string `json:"block_id"`
	Signed bool   `json:"signed"`
	Notes  string `json:"notes_ref"`
	Notice string `json:"notice"`
}

// showCommit prints what was committed, or what would be: files, message and
// who is named.
func showCommit(s *screen, c commitRow) error {
	subject, _, _ := strings.Cut(c.Message, "\n")
	added, deleted := 0, 0
	for _, f := range c.Files {
		added, deleted = added+f.Added, deleted+f.Deleted
	}
	if c.Committed {
		s.printf("[%s %s] %s\n", s.clean(c.Branch), s.paint(yellow, short(c.Commit)), s.clean(subject))
	} else {
		s.printf("Would commit on %s:\n\n%s\n\n", s.clean(c.Branch), s.clean(indent(strings.TrimRight(c.Message, "\n"))))
	}
	s.printf(" %s, %s, %s\n", plural(len(c.Files), "file", "files"), plural(added, "line added", "lines added"), plural(deleted, "line deleted", "lines deleted"))
	for _, f := range c.Files {
		if !c.Committed || f.What != "modified" {
			s.printf("   %-10s %s\n", s.clean(f.What), s.clean(f.Path))
		}
	}
	s.printf(" author     %s\n", s.clean(c.Author.String()))
	for _, p := range c.CoAuthors {
		s.printf(" with       %s\n", s.clean(p.String()))
	}
	var wrote []string
	for _, share := range c.Shares {
		who := share.Principal
		if share.Model != "" {
			who += " (" + share.Model + ")"
		}
		wrote = append(wrote, fmt.Sprintf("%s %s", who, plural(share.Chars, "character", "characters")))
	}
	if len(wrote) > 0 {
		s.printf(" wrote      %s\n", s.clean(strings.Join(wrote, ", ")))
	}
	if c.Committed && c.Notes != "" {
		s.printf(" lines      %s\n", s.clean(c.Notes))
	}
	if c.Notice != "" {
		fmt.Fprintf(s.notes, "%s\n", harmless(c.Notice))
	}
	return nil
}

func indent(text string) string { return "    " + strings.ReplaceAll(text, "\n", "\n    ") }

// lineRow is a line with who wrote it.
type lineRow struct {
	Line    int    `json:"line"`
	Text    string `json:"text"`
	By      string `json:"by"`
	Via     string `json:"via"`
	Model   string `json:"model"`
	Context string `json:"context"`
	Block   string `json:"block_id"`
	Change  string `json:"change"`
	Time    string `json:"time"`
	Source  string `json:"source"`
	Commit  string `json:"commit"`
	Author  string `json:"author"`
}

// cells are the columns in front of a line: change or commit, who, model,
// context, block.
func (r lineRow) cells() [6]string {
	at, who := r.Change, by(r.By, r.Via)
	if at == "" {
		at = r.Commit
	}
	if r.By == "" {
		who = oneLine(r.Author, 20)
	}
	return [6]string{short(at), who, oneLine(r.Model, 24), shortEnd(r.Context), shortEnd(r.Block), when(r.Time)}
}

// showLines prints each line with its writer, in columns as git blame has them;
// a column in which nothing stands is left out.
func showLines(s *screen, b struct {
	Lines []lineRow `json:"lines"`
}) error {
	var width [6]int
	rows, last := make([][6]string, len(b.Lines)), 0
	for i, r := range b.Lines {
		rows[i] = r.cells()
		for k, cell := range rows[i] {
			width[k] = max(width[k], len([]rune(cell)))
		}
		last = max(last, r.Line)
	}
	digits := len(fmt.Sprint(last))
	for i, r := range b.Lines {
		var cells []string
		for k, cell := range rows[i] {
			if k > 0 && width[k] > 0 {
				cells = append(cells, cell+strings.Repeat(" ", width[k]-len([]rune(cell))))
			}
		}
		at := rows[i][0] + strings.Repeat(" ", width[0]-len([]rune(rows[i][0])))
		s.printf("%s (%s %*d) %s\n", s.paint(yellow, at), s.clean(strings.Join(cells, " ")), digits, r.Line, s.clean(r.Text))
	}
	return nil
}

type identityRow struct {
	Principal string `json:"principal"`
	Kind      string `json:"kind"`
	Name      string `json:"name"`
	Email     string `json:"email"`
	Model     string `json:"model"`
	Tool      string `json:"tool"`
}

func showIdentity(s *screen, r identityRow) error {
	words := []string{r.Principal + " is " + personRow{Name: r.Name, Email: r.Email}.String()}
	if r.Model != "" {
		words = append(words, "model "+r.Model)
	}
	if r.Tool != "" {
		words = append(words, "tool "+r.Tool)
	}
	s.printf("%s\n", s.clean(strings.Join(words, ", ")))
	return nil
}

func showIdentities(s *screen, list struct {
	Identities []identityRow `json:"identities"`
}) error {
	if len(list.Identities) == 0 {
		fmt.Fprintln(s.notes, `nobody is on record; kj identity set --name "Full Name" --email you@example.org puts you there`)
		return nil
	}
	rows := [][]string{{"PRINCIPAL", "KIND", "NAME", "EMAIL", "MODEL", "TOOL"}}
	for _, r := range list.Identities {
		rows = append(rows, []string{r.Principal, r.Kind, r.Name, orDash(r.Email), orDash(r.Model), orDash(r.Tool)})
	}
	return s.table(rows)
}
