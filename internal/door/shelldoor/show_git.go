package shelldoor

import (
	"fmt"
	"strings"
)

// statusRow is a file that is not as the last commit has it.
type statusRow struct {
	Path     string `json:"path"`
	OldPath  string `json:"old_path"`
	Staged   string `json:"staged"`
	Unstaged string `json:"unstaged"`
	Dirty    bool   `json:"dirty"`
	Conflict bool   `json:"conflict"`
}

// showStatus prints what differs from the last commit, a file a line.
func showStatus(s *screen, st struct {
	Mount    string      `json:"mount"`
	Branch   string      `json:"branch"`
	Detached bool        `json:"detached"`
	Head     string      `json:"head"`
	Paused   bool        `json:"paused"`
	Reason   string      `json:"reason"`
	Files    []statusRow `json:"files"`
	More     bool        `json:"truncated"`
}) error {
	at := "on branch " + st.Branch
	if st.Detached {
		at = "detached"
	}
	if st.Head == "" {
		at += ", no commit yet"
	} else {
		at += " at " + short(st.Head)
	}
	s.printf("%s %s\n", s.clean(st.Mount), s.clean(at))
	if st.Paused {
		s.printf("%s\n", s.paint(red, s.clean("blocks and disk are not kept in step: "+orNone(st.Reason))))
	}
	for _, f := range st.Files {
		s.printf("  %s\n", s.fileLine(f))
	}
	if len(st.Files) == 0 {
		s.printf("nothing to commit\n")
	}
	if st.More {
		fmt.Fprintln(s.notes, "there are more; name a path below the mount")
	}
	return nil
}

// fileLine says what happened to a file.
func (s *screen) fileLine(f statusRow) string {
	word, color := f.Unstaged, yellow
	switch {
	case f.Conflict:
		word, color = "conflict", red
	case word == "" || word == "unchanged":
		word, color = f.Staged, green
	case word == "untracked":
		color = faint
	}
	name := f.Path
	if f.OldPath != "" {
		name = f.OldPath + " → " + f.Path
	}
	if f.Dirty {
		name += "  (waits to be written to the disk)"
	}
	return s.paint(color, fmt.Sprintf("%-10s", word)) + " " + s.clean(name)
}

// showFileDiffs prints patches, as git diff does.
func showFileDiffs(s *screen, d struct {
	Files []struct {
		Path    string `json:"path"`
		OldPath string `json:"old_path"`
		Diff    string `json:"diff"`
		Binary  bool   `json:"binary"`
	} `json:"files"`
	Truncated bool `json:"truncated"`
}) error {
	for _, f := range d.Files {
		switch {
		case f.Binary:
			s.printf("%s\n", s.paint(bold, s.clean("binary file "+f.Path+" differs")))
		case f.Diff == "":
			s.printf("%s\n", s.paint(bold, s.clean(strings.TrimPrefix(f.OldPath+" → ", " → ")+f.Path)))
		default:
			s.patch(f.Diff)
		}
	}
	if len(d.Files) == 0 {
		fmt.Fprintln(s.notes, "no difference")
	}
	if d.Truncated {
		fmt.Fprintln(s.notes, "there is more than that; name paths to see it")
	}
	return nil
}

// personRow is who a commit names.
type personRow struct {
	Name  string `json:"name"`
	Email string `json:"email"`
	At    string `json:"at"`
}

func (p personRow) String() string {
	if p.Email == "" {
		return p.Name
	}
	return strings.TrimSpace(p.Name + " <" + p.Email + ">")
}

func showLog(s *screen, l struct {
	Commits []struct {
		Hash    string    `json:"hash"`
		Author  personRow `json:"author"`
		Subject string    `json:"subject"`
	} `json:"commits"`
	More bool `json:"more"`
}) error {
	if len(l.Commits) == 0 {
		fmt.Fprintln(s.notes, "no commits yet")
		return nil
	}
	var rows [][]string
	for _, c := range l.Commits {
		rows = append(rows, []string{short(c.Hash), when(c.Author.At), oneLine(c.Author.Name, 20), oneLine(c.Subject, 72)})
	}
	if err := s.table(rows); err != nil {
		return err
	}
	if l.More {
		fmt.Fprintln(s.notes, "there are more; --limit shows them")
	}
	return nil
}

func showBranches(s *screen, b struct {
	Branches []struct {
		Name    string `json:"name"`
		Head    string `json:"head"`
		Current bool   `json:"current"`
		Remote  bool   `json:"remote"`
		Dir     string `json:"worktree"`
	} `json:"branches"`
	Notice string `json:"notice"`
}) error {
	rows := make([][]string, 0, len(b.Branches))
	for _, r := range b.Branches {
		mark := "  "
		if r.Current {
			mark = "* "
		}
		where := ""
		if !r.Current && r.Dir != "" {
			where = "checked out at " + r.Dir
		}
		rows = append(rows, []string{mark + r.Name, short(r.Head), where})
	}
	err := s.table(rows)
	if b.Notice != "" {
		fmt.Fprintf(s.notes, "%s\n", harmless(b.Notice))
	}
	return err
}

func showRewritten(s *screen, r struct {
	Rewritten []struct {
		New     string   `json:"new"`
		Old     []string `json:"old"`
		Skipped string   `json:"skipped"`
	} `json:"rewritten"`
	Written int  `json:"written"`
	DryRun  bool `json:"dry_run"`
}) error {
	for _, n := range r.Rewritten {
		var old []string
		for _, h := range n.Old {
			old = append(old, short(h))
		}
		what := ""
		if n.Skipped != "" {
			what = "  (" + n.Skipped + ")"
		}
		s.printf("%s → %s%s\n", strings.Join(old, ", "), short(n.New), s.clean(what))
	}
	verb := "carried"
	if r.DryRun {
		verb = "would be carried"
	}
	s.printf("%s %s\n", plural(r.Written, "note", "notes"), verb)
	return nil
}
