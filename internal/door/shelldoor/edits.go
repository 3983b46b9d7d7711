package shelldoor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// isEdits reports whether the parameter is a list of edits of lines.
func (p *param) isEdits() bool {
	return p.kind == "array" && slices.Contains(p.fields, "op") && slices.Contains(p.fields, "start_line") && slices.Contains(p.fields, "expected_text")
}

// edit is one edit of lines, as the operation takes it.
type edit struct {
	Op       string  `json:"op"`
	Line     *int    `json:"line,omitempty"`
	Start    *int    `json:"start_line,omitempty"`
	End      *int    `json:"end_line,omitempty"`
	Content  *string `json:"content,omitempty"`
	Expected *string `json:"expected_text,omitempty"`
}

// editFlag is a flag that adds an edit to the list: --insert 0:TEXT. Edits are
// done in the order of the line.
type editFlag struct {
	list  *value
	kind  string // type in help
	parse func(list *value, s string) error
}

func (f *editFlag) String() string     { return "" }
func (f *editFlag) Type() string       { return f.kind }
func (f *editFlag) Set(s string) error { return f.parse(f.list, strings.TrimPrefix(s, TextMark)) }

func addEditFlags(cmd *cobra.Command, v *value) {
	f := cmd.Flags()
	f.Var(&editFlag{v, "line:text", insertLine}, "insert", "insert text in front of a line, from 0; the text may be @FILE")
	f.Var(&editFlag{v, "start:end:text", replaceLines}, "replace", "put text in the place of lines, from 0, end exclusive")
	f.Var(&editFlag{v, "start:end", deleteLines}, "delete", "delete lines, from 0, end exclusive")
	f.Var(&editFlag{v, "text", expectText}, "expect", "what the lines of the --replace or --delete before hold now; else nothing is done")
}

func insertLine(list *value, s string) error {
	at, content, ok := strings.Cut(s, ":")
	if !ok {
		return errors.New("want LINE:TEXT")
	}
	n, err := lineNumbers(at)
	if err != nil {
		return err
	}
	return addEdit(list, edit{Op: "insert", Line: &n[0]}, &content)
}

func replaceLines(list *value, s string) error {
	parts := strings.SplitN(s, ":", 3)
	if len(parts) != 3 {
		return errors.New("want START:END:TEXT")
	}
	n, err := lineNumbers(parts[:2]...)
	if err != nil {
		return err
	}
	return addEdit(list, edit{Op: "replace", Start: &n[0], End: &n[1]}, &parts[2])
}

func deleteLines(list *value, s string) error {
	parts := strings.Split(s, ":")
	if len(parts) != 2 {
		return errors.New("want START:END")
	}
	n, err := lineNumbers(parts...)
	if err != nil {
		return err
	}
	return addEdit(list, edit{Op: "delete", Start: &n[0], End: &n[1]}, nil)
}

func lineNumbers(words ...string) ([]int, error) {
	n := make([]int, len(words))
	for i, w := range words {
		var err error
		if n[i], err = strconv.Atoi(w); err != nil {
			return nil, fmt.Errorf("%.40q is no line number", w)
		}
	}
	return n, nil
}

// addEdit puts an edit at the end of the list.
func addEdit(list *value, e edit, content *string) error {
	if content != nil {
		s, err := fileText(*content)
		if err != nil {
			return err
		}
		if !utf8.ValidString(s) {
			return errors.New("not UTF-8")
		}
		e.Content = &s
	}
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	list.set, list.raw = true, append(list.raw, raw)
	return nil
}

// expectText adds what the last edit's lines should hold.
func expectText(list *value, s string) error {
	if len(list.raw) == 0 {
		return errors.New("it stands behind the --replace or --delete that it is for")
	}
	last := &list.raw[len(list.raw)-1]
	var e edit
	if err := json.Unmarshal(*last, &e); err != nil {
		return err
	}
	if e.Op == "insert" || e.Expected != nil {
		return errors.New("it stands behind the --replace or --delete that it is for, once")
	}
	text, err := fileText(s)
	if err != nil {
		return err
	}
	e.Expected = &text
	*last, err = json.Marshal(e)
	return err
}

// editWords returns the flags that say a list of edits; false when they cannot.
func (p *param) editWords(raw json.RawMessage) ([]string, bool) {
	var edits []edit
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if !p.isEdits() || dec.Decode(&edits) != nil || len(edits) == 0 {
		return nil, false
	}
	var words []string
	for _, e := range edits {
		switch {
		case e.Op == "insert" && e.Line != nil && e.Content != nil && e.Start == nil && e.End == nil && e.Expected == nil:
			words = append(words, fmt.Sprintf("--insert=%d:%s", *e.Line, plainText(*e.Content)))
		case e.Op == "replace" && e.Line == nil && e.Content != nil && e.Start != nil && e.End != nil:
			words = append(words, fmt.Sprintf("--replace=%d:%d:%s", *e.Start, *e.End, plainText(*e.Content)))
		case e.Op == "delete" && e.Line == nil && e.Content == nil && e.Start != nil && e.End != nil:
			words = append(words, fmt.Sprintf("--delete=%d:%d", *e.Start, *e.End))
		default:
			return nil, false
		}
		if e.Expected != nil {
			words = append(words, "--expect="+plainText(*e.Expected))
		}
	}
	return words, !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, "\x00") })
}

// plainText is a text as fileText takes it.
func plainText(s string) string {
	if strings.HasPrefix(s, "@") {
		return "@" + s
	}
	return s
}
