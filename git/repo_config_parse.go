package git

import (
	"fmt"
	"strings"

	"kaijutsu"
)

// configParser reads one config file.
type configParser struct {
	text  string
	at    int
	line  int
	items []configItem
}

func (p *configParser) bad(what string) error {
	return fmt.Errorf("line %d: %s: %w", p.line, what, kaijutsu.ErrInvalid)
}

func (p *configParser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// next returns the next byte, a CR LF as one line feed, 0 at the end.
func (p *configParser) next() byte {
	if p.at >= len(p.text) {
		p.at++
		return 0
	}
	c := p.text[p.at]
	p.at++
	if c == '\r' && p.peek() == '\n' {
		c = '\n'
		p.at++
	}
	if c == '\n' {
		p.line++
	}
	return c
}

func (p *configParser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n\v\f", p.text[p.at]) >= 0 {
		p.next()
	}
}

func (p *configParser) comment() {
	for p.at < len(p.text) && p.next() != '\n' {
	}
}

// section reads [name], [name "sub"] or the old [name.sub].
func (p *configParser) section() (string, error) {
	p.next()
	start := p.at
	for isKeyByte(p.peek()) || p.peek() == '.' {
		p.next()
	}
	name := strings.ToLower(p.text[start:p.at])
	if p.peek() == ']' {
		p.next()
		return name, nil
	}
	for p.peek() == ' ' || p.peek() == '\t' {
		p.next()
	}
	if p.next() != '"' {
		return "", p.bad("a section header is not closed")
	}
	var sub strings.Builder
	for {
		c := p.next()
		if c == 0 || c == '\n' {
			return "", p.bad("a section header is not closed")
		}
		if c == '"' {
			break
		}
		if c == '\\' {
			if c = p.next(); c == 0 || c == '\n' {
				return "", p.bad("a section header is not closed")
			}
		}
		sub.WriteByte(c)
	}
	if p.next() != ']' {
		return "", p.bad("a section header is not closed")
	}
	return name + "." + sub.String(), nil
}

func isKeyByte(c byte) bool {
	return c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (p *configParser) setting(section string) error {
	start := p.at
	for isKeyByte(p.peek()) {
		p.next()
	}
	name := strings.ToLower(p.text[start:p.at])
	if section == "" || name == "" || name[0] == '-' || name[0] >= '0' && name[0] <= '9' {
		return p.bad("this is no setting")
	}
	for p.peek() == ' ' || p.peek() == '\t' {
		p.next()
	}
	item := configItem{key: section + "." + name}
	switch c := p.peek(); c {
	case '=':
		p.next()
		value, err := p.value()
		if err != nil {
			return err
		}
		item.value = value
	case 0, '\n', '\r', '#', ';':
		item.bare = true
	default:
		return p.bad("an = sign is missing after " + name)
	}
	p.items = append(p.items, item)
	return nil
}

// value reads to the end of the line: quotes, escapes, comments, and lines that
// go on behind a backslash.
func (p *configParser) value() (string, error) {
	var b strings.Builder
	quoted, spaces := false, 0
	for {
		c := p.next()
		switch {
		case c == 0 && p.at > len(p.text) || c == '\n':
			if quoted {
				return "", p.bad("a quote is not closed")
			}
			return b.String(), nil
		case !quoted && (c == ' ' || c == '\t'):
			if b.Len() > 0 {
				spaces++
			}
			continue
		case !quoted && (c == '#' || c == ';'):
			p.comment()
			return b.String(), nil
		}
		for ; spaces > 0; spaces-- {
			b.WriteByte(' ')
		}
		switch c {
		case '"':
			quoted = !quoted
		case '\\':
			switch e := p.next(); e {
			case '\n':
			case 't':
				b.WriteByte('\t')
			case 'b':
				b.WriteByte('\b')
			case 'n':
				b.WriteByte('\n')
			case '\\', '"':
				b.WriteByte(e)
			default:
				return "", p.bad("an unknown escape")
			}
		default:
			b.WriteByte(c)
		}
	}
}
