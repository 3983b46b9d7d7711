package bench

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"
)

// Table is what one measurement of several nodes, or of followers, found.
type Table struct {
	title, command string
	columns        []string // the first names the rows
	rows           [][]string
	notes          []string
	began          time.Time
	machine        machine
	next           *Table // of the same run; nil: none
}

func newTable(title, command string, columns ...string) *Table {
	return &Table{title: title, command: command, columns: columns, began: time.Now()}
}

// add writes a row: a name and a cell for each further column.
func (t *Table) add(name string, cells ...string) {
	t.rows = append(t.rows, append([]string{name}, cells...))
}

func (t *Table) note(format string, args ...any) {
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

// WriteTo writes the table as Markdown, with what it was measured on.
func (t *Table) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "**%s** (`%s`)\n\n", t.title, t.command)
	fmt.Fprintf(&b, "| %s |\n|---%s|\n", strings.Join(t.columns, " | "), strings.Repeat("|---:", len(t.columns)-1))
	for _, row := range t.rows {
		for len(row) < len(t.columns) {
			row = append(row, "")
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
	}
	fmt.Fprintf(&b, "\nMeasured on %s: %s.\n", t.began.UTC().Format("2006-01-02 15:04 UTC"), t.machine)
	for _, n := range t.notes {
		fmt.Fprintf(&b, "- %s\n", n)
	}
	if t.next != nil {
		b.WriteByte('\n')
		t.next.machine = t.machine
		if _, err := t.next.WriteTo(&b); err != nil {
			return 0, err
		}
	}
	return b.WriteTo(w)
}
