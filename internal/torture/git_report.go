package torture

import (
	"fmt"
	"strings"
)

// GitReport is what the fault git did.
type GitReport struct {
	Lines    int `json:"lines"` // acknowledged, and looked for; one on two branches counts twice
	BySed    int `json:"by_sed"`
	Commits  int `json:"commits"` // on all branches
	ByGit    int `json:"by_git"`  // with git commit
	ByServer int `json:"by_server"`
	Switches int `json:"switches"`
	Branches int `json:"branches"` // made by git checkout -b
	Kills    int `json:"kills"`
	Busy     int `json:"busy"`    // git found its lock taken, or something not committed
	Refused  int `json:"refused"` // the server did
	Notes    int `json:"notes"`
	Attested int `json:"attested"` // lines with a writer in a note
}

func (g *GitReport) String() string {
	return fmt.Sprintf("%d lines by sed, %d commits by git and %d by the server, %d switches, %d kills", g.BySed, g.ByGit, g.ByServer, g.Switches, g.Kills)
}

func (g *GitReport) print(b *strings.Builder) {
	fmt.Fprintf(b, "  acknowledged     %d lines looked for, %d written by sed -i\n", g.Lines, g.BySed)
	fmt.Fprintf(b, "  happened         %d switches of the branch, %d branches made, %d kills; git had to wait %d times, the server refused %d times\n", g.Switches, g.Branches, g.Kills, g.Busy, g.Refused)
	fmt.Fprintf(b, "  commits          %d, %d of them by git commit, %d by the server, with %d notes that name the writers of %d lines\n", g.Commits, g.ByGit, g.ByServer, g.Notes, g.Attested)
}
