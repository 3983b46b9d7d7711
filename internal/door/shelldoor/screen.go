package shelldoor

import (
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/spf13/cobra"
)

// IsTerminal reports whether people look at what is written to w.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// screen is where results are shown to people.
type screen struct {
	w     io.Writer
	notes io.Writer // what is not the result
	tty   bool
	color bool
}

func newScreen(cmd *cobra.Command) *screen {
	s := &screen{w: cmd.OutOrStdout(), notes: cmd.ErrOrStderr()}
	s.tty = IsTerminal(s.w)
	s.color = s.tty && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return s
}

// The colours, as the numbers of ANSI escapes.
const (
	bold   = "1"
	faint  = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

// paint colours a text where there are colours.
func (s *screen) paint(color, text string) string {
	if !s.color || text == "" {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}

// clean returns a text that cannot steer a terminal: there, control characters
// other than newlines and tabs are shown as what they are.
func (s *screen) clean(text string) string {
	if !s.tty {
		return text
	}
	return harmless(text)
}

// harmless returns a text that cannot steer a terminal, nor turn around what
// stands beside it.
func harmless(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < 0x20:
			return r + 0x2400 // the picture of the control character
		case unicode.IsControl(r):
			return '\u2421'
		case unicode.Is(unicode.Bidi_Control, r) && r != '\u200e' && r != '\u200f' && r != '\u061c': // these three are letters' marks
			return '\ufffd'
		}
		return r
	}, text)
}

// printf writes to the screen; a broken pipe shows at the end, in flush.
func (s *screen) printf(format string, args ...any) { fmt.Fprintf(s.w, format, args...) }

// verbatim writes a content as it is, on a terminal with a newline at its end.
func (s *screen) verbatim(content string) {
	if s.tty && content != "" && !strings.HasSuffix(content, "\n") {
		content += "\n"
	}
	fmt.Fprint(s.w, s.clean(content))
}

// table writes rows in columns; the first row is the heading.
func (s *screen) table(rows [][]string) error {
	w := tabwriter.NewWriter(s.w, 0, 8, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(w, strings.TrimRight(s.clean(strings.Join(row, "\t")), "\t"))
	}
	return w.Flush()
}

// oneLine shortens a text for a table.
func oneLine(s string, most int) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return string(r)
}

// when shows a time of the wire as people's clocks do.
func when(s string) string {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return s
	}
	return t.Local().Format("2006-01-02 15:04")
}

// short is the beginning of a hash, for people.
func short(hash string) string { return hash[:min(8, len(hash))] }

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
