package interchange

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/blocks"
)

// version is the version of both formats.
const version = 1

// Context is a context as it is written and read.
type Context struct {
	Title string
	// Blocks are in document order: a parent before its children.
	Blocks []Block
}

// Block is a block of a Context.
type Block struct {
	ID blocks.ID // "": a new block
	// Parent is the block's parent; it hangs there when Depth is not 0.
	Parent blocks.ID
	Depth  int // blocks above it
	Kind   blocks.Kind
	Role   blocks.Role
	Status blocks.Status
	Form   blocks.Form // "": it has no content
	// Content is UTF-8.
	Content string
	Meta    string // a JSON object as text, or ""

	Collapsed, Excluded, Ephemeral bool

	// Author and Created are for information: JSON carries them, and nothing
	// is made of them.
	Author  string
	Created time.Time // zero: unknown
}

// defaultForm returns the form that a new block gets.
func defaultForm(role blocks.Role, status blocks.Status) blocks.Form {
	switch {
	case role == blocks.RoleUser:
		return blocks.FormText
	case status.Terminal():
		return blocks.FormBody
	}
	return blocks.FormChunks
}

// checkWritable refuses what neither format can hold.
func checkWritable(c Context) error {
	if !utf8.ValidString(c.Title) {
		return fmt.Errorf("title is not UTF-8: %w", kaijutsu.ErrInvalid)
	}
	for i, b := range c.Blocks {
		for _, s := range [...]string{string(b.ID), string(b.Parent), string(b.Kind), string(b.Role), string(b.Status), string(b.Form), b.Content, b.Meta, b.Author} {
			if !utf8.ValidString(s) {
				return fmt.Errorf("block %d (%.64q) is not UTF-8: %w", i+1, b.ID, kaijutsu.ErrInvalid)
			}
		}
	}
	return nil
}

var kindPattern = regexp.MustCompile(`^[a-z_]{1,32}$`)

// checkBlock fills in defaults and refuses what no block may hold.
func checkBlock(b *Block) error {
	if b.Kind == "" {
		b.Kind = blocks.KindText
	}
	if b.Role == "" {
		b.Role = blocks.RoleUser
	}
	if b.Status == "" {
		b.Status = blocks.StatusDone
	}
	for name, id := range map[string]blocks.ID{"id": b.ID, "parent": b.Parent} {
		if id == "" {
			continue
		}
		if _, err := blocks.ParseID(string(id)); err != nil {
			return fmt.Errorf("%s %.64q: want a UUID in lower case, or leave it out: %w", name, id, kaijutsu.ErrInvalid)
		}
	}
	if !kindPattern.MatchString(string(b.Kind)) {
		return fmt.Errorf("kind %.64q: want at most 32 lower-case letters and underscores, like \"text\": %w", b.Kind, kaijutsu.ErrInvalid)
	}
	switch b.Role {
	case blocks.RoleUser, blocks.RoleModel, blocks.RoleSystem, blocks.RoleTool:
	default:
		return fmt.Errorf("role %.64q: want user, model, system or tool: %w", b.Role, kaijutsu.ErrInvalid)
	}
	switch b.Status {
	case blocks.StatusPending, blocks.StatusRunning, blocks.StatusDone, blocks.StatusError, blocks.StatusCancelled:
	default:
		return fmt.Errorf("status %.64q: want pending, running, done, error or cancelled: %w", b.Status, kaijutsu.ErrInvalid)
	}
	switch b.Form {
	case blocks.FormText, blocks.FormBody, blocks.FormChunks:
	case "":
		if b.Content != "" {
			return fmt.Errorf("form is none, but there is content: leave the form out: %w", kaijutsu.ErrInvalid)
		}
	default:
		return fmt.Errorf("form %.64q: want text, body or chunks, or leave it out: %w", b.Form, kaijutsu.ErrInvalid)
	}
	if b.Meta != "" && (!json.Valid([]byte(b.Meta)) || !strings.HasPrefix(strings.TrimLeft(b.Meta, " \t\r\n"), "{")) {
		return fmt.Errorf("meta %.64q: want a JSON object: %w", b.Meta, kaijutsu.ErrInvalid)
	}
	return nil
}

// placer checks ids and parents as blocks are read one after the other.
type placer struct {
	depth map[blocks.ID]int
	seen  map[blocks.ID]string // where in the file
}

func newPlacer() *placer {
	return &placer{depth: make(map[blocks.ID]int), seen: make(map[blocks.ID]string)}
}

// impliedDepth returns the depth that follows from a block's parent.
func (p *placer) impliedDepth(b Block) int {
	if d, ok := p.depth[b.Parent]; ok && b.Parent != "" {
		return d + 1
	}
	return 0
}

// add takes in the next block, which is at where.
func (p *placer) add(b Block, where string) error {
	if b.Depth != 0 && b.Depth != p.impliedDepth(b) {
		return fmt.Errorf("depth %d: want 0 or, behind its parent, one more than the parent's, or leave it out: %w", b.Depth, kaijutsu.ErrInvalid)
	}
	if b.ID == "" {
		return nil
	}
	if at, ok := p.seen[b.ID]; ok {
		return fmt.Errorf("id %s is that of the block at %s too; leave it out of a block that is new: %w", b.ID, at, kaijutsu.ErrInvalid)
	}
	p.depth[b.ID], p.seen[b.ID] = b.Depth, where
	return nil
}
