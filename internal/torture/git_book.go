package torture

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// gitLine is a line that somebody wrote, or perhaps did.
type gitLine struct {
	text, who, file string
	branch          string // "": that of the context
	context         string
	acked           bool
}

// gitBook is what the writers wrote down. It is safe for concurrent use.
type gitBook struct {
	mu        sync.Mutex
	lines     map[string]*gitLine // by text
	contexts  map[string]string   // the branch of each
	inherited map[string][]string // by branch, the texts it began with
	wrong     []string
}

func newGitBook() *gitBook {
	return &gitBook{lines: make(map[string]*gitLine), contexts: make(map[string]string), inherited: make(map[string][]string)}
}

// line writes down a line before it is written.
func (b *gitBook) line(who string, n int, file string) *gitLine {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := &gitLine{text: fmt.Sprintf("%s %d.", who, n), who: who, file: file}
	b.lines[l.text] = l
	return l
}

func (b *gitBook) onBranch(l *gitLine, branch string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l.branch = branch
}

func (b *gitBook) inContext(l *gitLine, context string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l.context = context
}

func (b *gitBook) ack(l *gitLine) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l.acked = true
}

// isOf writes down which branch a context is of. It is the same for ever.
func (b *gitBook) isOf(context, branch string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if was, ok := b.contexts[context]; ok && was != branch {
		b.wrong = append(b.wrong, fmt.Sprintf("context %s is of branch %s, and was of %s", context, branch, was))
	}
	b.contexts[context] = branch
}

// fork writes down that a branch begins with everything that another has now.
func (b *gitBook) fork(from, to string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.inherited[to] = slices.Clone(b.inherited[from])
	for _, text := range slices.Sorted(maps.Keys(b.lines)) {
		if b.branchOf(b.lines[text]) == from {
			b.inherited[to] = append(b.inherited[to], text)
		}
	}
}

// branchOf returns the branch of a line; "": nobody knows. mu is held.
func (b *gitBook) branchOf(l *gitLine) string {
	if l.branch != "" {
		return l.branch
	}
	return b.contexts[l.context]
}

// of returns the lines that may be on a branch.
func (b *gitBook) of(branch string) map[string]*gitLine {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make(map[string]*gitLine)
	for text, l := range b.lines {
		if b.branchOf(l) == branch {
			out[text] = l
		}
	}
	for _, text := range b.inherited[branch] {
		out[text] = b.lines[text]
	}
	return out
}

// compare says what is wrong with the text of a file of a branch: each
// acknowledged line is to be in it once, none twice, and nothing else.
func (b *gitBook) compare(branch, file, text string) (wrong []string, acked int) {
	may := b.of(branch)
	count := make(map[string]int)
	for line := range strings.Lines(text) {
		count[strings.TrimSuffix(line, "\n")]++
	}
	for _, line := range slices.Sorted(maps.Keys(count)) {
		n := count[line]
		if isPlace(line) {
			if n > 1 && line != "" {
				wrong = append(wrong, fmt.Sprintf("%q stands %d times", line, n))
			}
			continue
		}
		switch l := may[line]; {
		case l == nil && b.lines[line] == nil:
			wrong = append(wrong, fmt.Sprintf("%q stands there, which nobody wrote", line))
		case l == nil:
			wrong = append(wrong, fmt.Sprintf("%q stands there, which is of branch %s", line, b.branchOf(b.lines[line])))
		case l.file != file:
			wrong = append(wrong, fmt.Sprintf("%q stands there, which is of %s", line, l.file))
		case n > 1:
			wrong = append(wrong, fmt.Sprintf("%q stands there %d times", line, n))
		}
	}
	for _, place := range places() {
		if count[place] == 0 {
			wrong = append(wrong, fmt.Sprintf("%q is gone", place))
		}
	}
	for _, line := range slices.Sorted(maps.Keys(may)) {
		if l := may[line]; l.file == file && l.acked {
			acked++
			if count[line] == 0 {
				wrong = append(wrong, fmt.Sprintf("%q is lost", line))
			}
		}
	}
	return wrong, acked
}

// foreign says which lines of a file in a commit of a branch are not the
// branch's.
func (b *gitBook) foreign(branch, text string) (wrong []string) {
	may := b.of(branch)
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); !isPlace(line) && may[line] == nil {
			wrong = append(wrong, line)
		}
	}
	return wrong
}

// places are the lines between which others are written.
func places() (out []string) {
	for _, w := range gitWriters {
		out = append(out, heading(w.name))
	}
	return append(out, heading(sedName), "== end")
}

// isPlace reports whether a line was there from the beginning.
func isPlace(line string) bool { return line == "" || strings.HasPrefix(line, "== ") }

// writerOf is who wrote a line, as a note should have it: "" when nobody whom the
// kernel knows.
func writerOf(line string) string {
	name, _, _ := strings.Cut(line, " ")
	for _, w := range gitWriters {
		if w.name == name {
			return name
		}
	}
	return ""
}
