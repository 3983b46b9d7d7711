package interchange

import (
	"strings"
	"unicode/utf8"

	"kaijutsu/blocks"
)

// sectionRunes is the length in code points up to which a section of plain
// Markdown stays in one block.
const sectionRunes = 2000

// plain cuts Markdown that is not ours into text blocks: at headings, and long
// sections between paragraphs. extra is front matter, kept as a block.
func plain(title, extra string, lines []string) Context {
	c := Context{Title: title}
	add := func(text string) {
		if text = strings.Trim(text, "\n"); text != "" {
			c.Blocks = append(c.Blocks, Block{
				Kind: blocks.KindText, Role: blocks.RoleUser, Status: blocks.StatusDone, Form: blocks.FormText, Content: text,
			})
		}
	}
	if extra != "" {
		add("```yaml\n" + extra + "\n```")
	}
	var section []string // paragraphs
	flush := func() {
		group, size := "", 0
		for _, p := range section {
			n := utf8.RuneCountInString(p)
			if size > 0 && size+n > sectionRunes {
				add(group)
				group, size = "", 0
			}
			group, size = group+p, size+n
		}
		add(group)
		section = section[:0]
	}
	var paragraph strings.Builder
	fence := ""
	for i, line := range lines {
		if text, level := heading(line); level > 0 && fence == "" {
			section = append(section, paragraph.String())
			paragraph.Reset()
			flush()
			if level == 1 && c.Title == "" {
				c.Title = text
			}
		}
		paragraph.WriteString(line)
		if i < len(lines)-1 {
			paragraph.WriteByte('\n')
		}
		if fence = nextFence(fence, line); fence == "" && line == "" {
			section = append(section, paragraph.String())
			paragraph.Reset()
		}
	}
	section = append(section, paragraph.String())
	flush()
	return c
}

// heading returns the text and level of a heading, 0 for any other line.
func heading(line string) (text string, level int) {
	rest := strings.TrimLeft(line, "#")
	level = len(line) - len(rest)
	if level == 0 || level > 6 || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return "", 0
	}
	return strings.TrimSpace(rest), level
}
