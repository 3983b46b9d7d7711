package shelldoor

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// The operations on files that are shown in more ways than one.
const (
	readName = "fs_read"
	listName = "fs_list"
)

// showFile prints the content of a file alone, as it is.
func (l *line) showFile(cmd *cobra.Command, result json.RawMessage) error {
	var f struct {
		Content   string `json:"content"`
		Base64    string `json:"content_base64"`
		Truncated bool   `json:"truncated"`
		Size      int64  `json:"size"`
	}
	if err := json.Unmarshal(result, &f); err != nil {
		return fmt.Errorf("result: %w", err)
	}
	s := newScreen(cmd)
	if f.Base64 == "" {
		s.verbatim(f.Content)
	} else {
		content, err := base64.StdEncoding.DecodeString(f.Base64)
		if err != nil {
			return fmt.Errorf("result: %w", err)
		}
		if s.tty {
			return Usage(cmd, errors.New("the file is binary; redirect the output, or ask for --json"))
		}
		if _, err := cmd.OutOrStdout().Write(content); err != nil {
			return err
		}
	}
	if f.Truncated {
		fmt.Fprintf(s.notes, "that is the beginning of %d bytes; --lines reads on\n", f.Size)
	}
	return nil
}

// showFiles lists the names in a directory, or with -l all about them.
func (l *line) showFiles(cmd *cobra.Command, result json.RawMessage) error {
	var list struct {
		Entries []entryRow `json:"entries"`
		Next    string     `json:"next"`
	}
	if err := json.Unmarshal(result, &list); err != nil {
		return fmt.Errorf("result: %w", err)
	}
	s := newScreen(cmd)
	if !l.long {
		for _, e := range list.Entries {
			s.printf("%s\n", s.clean(s.nameOf(e)))
		}
		more(s, list.Next)
		return nil
	}
	var rows [][]string
	for _, e := range list.Entries {
		name := s.nameOf(e)
		if e.Target != "" {
			name += " → " + e.Target
		}
		rows = append(rows, []string{e.mode(), fmt.Sprintf("%9d", e.Size), when(e.Modified), orDash(shortEnd(e.Block)), name})
	}
	if err := s.table(rows); err != nil {
		return err
	}
	more(s, list.Next)
	return nil
}

// nameOf is a name in a list: a slash behind it says that it is a directory.
func (s *screen) nameOf(e entryRow) string {
	if e.Kind == "dir" {
		return e.Name + "/"
	}
	return e.Name
}

// mode says what sort of file it is: dir, file, exec, link, git (a submodule)
// or other, and whether it is text that opens as a block.
func (e entryRow) mode() string {
	switch {
	case e.Kind == "symlink":
		return "link"
	case e.Kind == "submodule":
		return "git"
	case e.Kind == "file" && e.Executable:
		return "exec"
	}
	return e.Kind
}

func showEntry(s *screen, e entryRow) error {
	rows := [][]string{{"path", e.Path}, {"kind", e.mode()}, {"size", fmt.Sprint(e.Size)}, {"modified", when(e.Modified)}, {"target", e.Target}, {"mount", e.Mount}, {"context", e.Context}, {"block", e.Block}, {"sha256", e.Hash}}
	kept := rows[:0]
	for _, r := range rows {
		if r[1] != "" {
			kept = append(kept, r)
		}
	}
	return s.table(kept)
}

func showWrittenFile(s *screen, e entryRow) error {
	what := e.Path
	if e.Block != "" {
		what += "  block " + e.Block
	}
	s.printf("%s\n", s.clean(what))
	return nil
}

func showRemoved(s *screen, e entryRow) error {
	s.printf("Removed %s\n", s.clean(e.Path))
	return nil
}

func showResolved(s *screen, r struct {
	Path  string `json:"path"`
	Taken string `json:"taken"`
}) error {
	s.printf("%s holds the %s text now, block and disk alike\n", s.clean(r.Path), s.clean(strings.TrimSpace(r.Taken)))
	return nil
}

// showGrep prints the lines found, as grep -n does.
func showGrep(s *screen, found struct {
	Matches []struct {
		Path string `json:"path"`
		Line int    `json:"line"`
		Text string `json:"text"`
	} `json:"matches"`
	Truncated bool `json:"truncated"`
	Skipped   int  `json:"skipped"`
}) error {
	for _, m := range found.Matches {
		s.printf("%s:%s:%s\n", s.paint(cyan, s.clean(m.Path)), s.paint(yellow, fmt.Sprint(m.Line)), s.clean(m.Text))
	}
	if found.Truncated {
		fmt.Fprintf(s.notes, "there is more than these %d; --max-matches shows it\n", len(found.Matches))
	}
	if found.Skipped > 0 {
		fmt.Fprintf(s.notes, "%s not searched: binary or too large\n", plural(found.Skipped, "file was", "files were"))
	}
	return nil
}
