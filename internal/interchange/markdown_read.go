package interchange

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/blocks"
)

// headerLine is a line that begins a block.
var headerLine = regexp.MustCompile("^[^<`]{0,200}<!-- block (\\{.*\\}) -->[ \\t]*$")

// ReadMarkdown reads what WriteMarkdown wrote, or any other Markdown. The error
// wraps kaijutsu.ErrInvalid and names the line.
func ReadMarkdown(data []byte) (Context, error) {
	c, err := readMarkdown(data)
	if err != nil {
		return Context{}, fmt.Errorf("read Markdown: %w", err)
	}
	return c, nil
}

func readMarkdown(data []byte) (Context, error) {
	if !utf8.Valid(data) {
		return Context{}, fmt.Errorf("line %d: not UTF-8: %w", lineOf(data, int64(validPrefix(data))), kaijutsu.ErrInvalid)
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	r := reader{lines: lines, places: newPlacer()}
	ours, err := r.frontMatter()
	if err != nil {
		return Context{}, err
	}
	r.skipEmpty()
	if !ours && (r.at == len(lines) || !headerLine.MatchString(lines[r.at])) {
		return plain(r.title, r.extra, lines[r.at:]), nil
	}
	for r.at < len(lines) {
		if err := r.block(); err != nil {
			return Context{}, err
		}
	}
	return Context{Title: r.title, Blocks: r.blocks}, nil
}

// reader reads a file line by line.
type reader struct {
	lines  []string
	at     int // the next line
	title  string
	extra  string // front matter of a file that is not ours
	blocks []Block
	places *placer
}

func (r *reader) errorf(at int, format string, args ...any) error {
	return fmt.Errorf("line %d: %w: %w", at+1, fmt.Errorf(format, args...), kaijutsu.ErrInvalid)
}

func (r *reader) skipEmpty() {
	for r.at < len(r.lines) && r.lines[r.at] == "" {
		r.at++
	}
}

// frontMatter reads what stands between two lines "---" at the start, and
// reports whether it says that the file is ours.
func (r *reader) frontMatter() (ours bool, err error) {
	if r.lines[0] != "---" {
		return false, nil
	}
	end := 1
	for end < len(r.lines) && r.lines[end] != "---" {
		end++
	}
	if end == len(r.lines) {
		return false, nil // a rule
	}
	strange := -1
	for i := 1; i < end; i++ {
		key, value, _ := strings.Cut(r.lines[i], ":")
		switch key {
		case "kaijutsu":
			ours = true
			if v := strings.TrimSpace(value); v != strconv.Itoa(version) {
				return false, r.errorf(i, "kaijutsu %.20q: want %d, the version of the format", v, version)
			}
		case "title":
			if r.title, err = scalar(strings.TrimSpace(value)); err != nil {
				return false, r.errorf(i, "title: %v; write it in double quotes as a JSON string", err)
			}
		case "":
		default:
			if strange < 0 {
				strange = i
			}
		}
	}
	if ours && strange >= 0 {
		return false, r.errorf(strange, "%.40q: want \"kaijutsu\" or \"title\"; take the line out", r.lines[strange])
	}
	if strange >= 0 {
		r.extra = strings.Join(r.lines[1:end], "\n")
	}
	r.at = end + 1
	return ours, nil
}

// scalar reads a value on one line as YAML does.
func scalar(s string) (string, error) {
	switch {
	case strings.HasPrefix(s, `"`):
		var out string
		err := json.Unmarshal([]byte(s), &out)
		return out, err
	case len(s) > 1 && s[0] == '\'' && s[len(s)-1] == '\'':
		return strings.ReplaceAll(s[1:len(s)-1], "''", "'"), nil
	}
	return s, nil
}

// block reads the next block: its header and its content; or lines before the
// first header, which are plain Markdown.
func (r *reader) block() error {
	start := r.at
	m := headerLine.FindStringSubmatch(r.lines[start])
	switch {
	case m != nil:
	case beginsBlock(r.lines[start]):
		return r.errorf(start, "the comment that begins a block is broken; want <!-- block {…} --> at the end of the line")
	default:
		r.blocks = append(r.blocks, plain("", "", r.verbatim()).Blocks...)
		return nil
	}
	h, b, err := r.header(m[1])
	if err != nil {
		return err
	}
	r.at++
	if b.Content, err = r.content(h.As); err != nil {
		return err
	}
	if err := checkBlock(&b); err != nil {
		return fmt.Errorf("line %d: %w", start+1, err)
	}
	if err := r.places.add(b, fmt.Sprintf("line %d", start+1)); err != nil {
		return fmt.Errorf("line %d: %w", start+1, err)
	}
	r.blocks = append(r.blocks, b)
	return nil
}

// header reads the fields of a block.
func (r *reader) header(fields string) (header, Block, error) {
	var h header
	d := json.NewDecoder(bytes.NewReader([]byte(fields)))
	d.DisallowUnknownFields()
	if err := d.Decode(&h); err != nil {
		return h, Block{}, r.errorf(r.at, "the fields of the block: %v", err)
	}
	if rest := strings.TrimSpace(fields[d.InputOffset():]); rest != "" {
		return h, Block{}, r.errorf(r.at, "%.20q follows the fields of the block; take it out", rest)
	}
	if h.As != "" && h.As != asFence && h.As != asJSON {
		return h, Block{}, r.errorf(r.at, "as %.20q: want \"fence\" or \"json\", or leave it out", h.As)
	}
	if h.Meta != nil && h.MetaText != "" {
		return h, Block{}, r.errorf(r.at, "meta and meta_text: want one of them")
	}
	b := Block{
		ID: h.ID, Parent: h.Parent, Kind: h.Kind, Role: h.Role, Status: h.Status, Meta: h.MetaText,
		Collapsed: h.Collapsed, Excluded: h.Excluded, Ephemeral: h.Ephemeral,
	}
	if h.Meta != nil {
		b.Meta = string(h.Meta)
	}
	if err := checkBlock(&b); err != nil {
		return h, Block{}, fmt.Errorf("line %d: %w", r.at+1, err)
	}
	switch h.Form {
	case "":
		b.Form = defaultForm(b.Role, b.Status)
	case formNone:
	default:
		b.Form = blocks.Form(h.Form)
	}
	if b.Depth = r.places.impliedDepth(b); h.Depth != nil {
		b.Depth = *h.Depth
	}
	return h, b, nil
}

// content reads up to the next header.
func (r *reader) content(as string) (string, error) {
	r.skipEmpty()
	if as == "" || r.at == len(r.lines) || !strings.HasPrefix(r.lines[r.at], "```") {
		return strings.Join(r.verbatim(), "\n"), nil // somebody may have taken the fence away
	}
	start := r.at
	fence := r.lines[start][:len(r.lines[start])-len(strings.TrimLeft(r.lines[start], "`"))]
	end := start + 1
	for end < len(r.lines) && strings.TrimRight(r.lines[end], " \t") != fence {
		end++
	}
	if end == len(r.lines) {
		return "", r.errorf(start, "the fence is not closed; add a line %s behind the content", fence)
	}
	content := strings.Join(r.lines[start+1:end], "\n")
	r.at = end + 1
	r.skipEmpty()
	if r.at < len(r.lines) && !beginsBlock(r.lines[r.at]) {
		return "", r.errorf(r.at, "%.40q follows the fence that closed at line %d; put it inside, or begin a new block with <!-- block {} -->", r.lines[r.at], end+1)
	}
	if as == asFence {
		return content, nil
	}
	var out string
	if err := json.Unmarshal([]byte(content), &out); err != nil {
		return "", r.errorf(start+1, "the content is not a JSON string: %v", err)
	}
	return out, nil
}

// verbatim returns the lines up to the next header, without the empty ones
// around them.
func (r *reader) verbatim() []string {
	start := r.at
	for r.at < len(r.lines) && !beginsBlock(r.lines[r.at]) {
		r.at++
	}
	end := r.at
	for end > start && r.lines[end-1] == "" {
		end--
	}
	return r.lines[start:end]
}
