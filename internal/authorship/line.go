package authorship

import (
	"context"
	"fmt"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
)

// Line is a line of a block and who wrote it last. By is zero when nobody is on
// record for it; Via is through whom the change came.
type Line struct {
	By, Via    kaijutsu.Principal
	Model      string              // of an agent; "" unknown
	Doc        kaijutsu.DocumentID // where the change was made
	Change     kaijutsu.ChangeHash // the one that wrote it, not one that carried it
	Time       time.Time           // of the author's clock, in whole seconds
	Start, Len int                 // code points, without the line feed

	opened bool // the change made the block out of a file, whoever wrote that
}

// Lines says of each line of a block who wrote it last, as the block is now. The
// error wraps kaijutsu.ErrNotFound when there is no such document or block.
func (b *Book) Lines(ctx context.Context, doc kaijutsu.DocumentID, block blocks.ID) ([]Line, error) {
	w, err := b.written(ctx, doc, block, nil, nil)
	return w.lines, err
}

// written is a text and who wrote its lines.
type written struct {
	text  string
	lines []Line
}

// written reads a block. With heads it is as it was at them, unless it holds
// what is wanted as it is now: a past of a long history takes its time to make.
func (b *Book) written(ctx context.Context, doc kaijutsu.DocumentID, block blocks.ID, heads kaijutsu.Heads, wanted func(text string) bool) (w written, err error) {
	err = b.cfg.Repo.View(ctx, doc, func(v repo.View) error {
		m := v.Model()
		content, ok := m.Block(block)
		if len(heads) > 0 && !heads.Equal(v.Heads) && !(ok && wanted(content.Content)) {
			if m, err = v.At(heads); err != nil {
				return err
			}
			content, ok = m.Block(block)
		}
		if !ok {
			return fmt.Errorf("block %s: %w", block, kaijutsu.ErrNotFound)
		}
		lines, err := m.Lines(block, v.Log())
		if err != nil {
			return err
		}
		w = written{content.Content, sign(v, doc, lines)}
		return nil
	})
	if err != nil {
		return written{}, fmt.Errorf("read who wrote the lines of document %s: %w", doc.Name(), err)
	}
	for i := range w.lines {
		l := &w.lines[i]
		l.Model = b.model(l.By, l.Doc)
	}
	return w, nil
}

// sign adds the principals to lines, and follows changes that were carried.
func sign(v repo.View, doc kaijutsu.DocumentID, lines []blocks.Line) []Line {
	origins := make(map[kaijutsu.ChangeHash]Line)
	out := make([]Line, len(lines))
	for i, l := range lines {
		from, ok := origins[l.Change]
		if !ok {
			by, via := v.Principal(l.Actor)
			from = followed(v, Line{By: by, Via: via, Doc: doc, Change: l.Change, Time: l.Time, opened: by == Disk && opened(v, l.Change)})
			origins[l.Change] = from
		}
		from.Start, from.Len = l.Start, l.Len
		out[i] = from
	}
	return out
}

// opening is the message of a change that makes a block of a file.
const opening = "op:file_open"

// opened reports whether a change made its block of a file on the disk.
func opened(v repo.View, change kaijutsu.ChangeHash) bool {
	i, ok := v.Log().Index(change)
	if !ok {
		return false
	}
	h, err := v.Log().Header(i)
	return err == nil && h.Message == opening
}

// fromGit reports whether the log knows no more of a line than that it was in
// the file before there was a block, or came out of git later.
func (l Line) fromGit() bool { return l.By == Git || l.opened }

// maxCarried is how often in a row a change may have been carried.
const maxCarried = 1000

// followed returns the change that was carried to where a line is, or the line
// as it is when it was not.
func followed(v repo.View, l Line) Line {
	log := v.Log()
	for range maxCarried {
		if l.Via != Git || !wrote(l.By) {
			return l
		}
		i, ok := log.Index(l.Change)
		if !ok {
			return l
		}
		h, err := log.Header(i)
		if err != nil {
			return l
		}
		origin, doc, ok := parseCarried(h.Message)
		if !ok {
			return l
		}
		k, here := log.Index(origin)
		if !here {
			l.Change = origin
			if !doc.IsZero() {
				l.Doc = doc
			}
			return l
		}
		by, via := v.Principal(log.Author(k))
		if h, err = log.Header(k); err != nil || by != l.By {
			return l
		}
		l.Change, l.Time = origin, time.Unix(h.Time, 0).UTC()
		if via != Git {
			return l // Via stays: it is through git that the line is here
		}
	}
	return l
}

const carried = "carried "

// Carried returns the message of a change that brings along what an older
// change wrote; doc is where that was made.
func Carried(change kaijutsu.ChangeHash, doc kaijutsu.DocumentID) string {
	return carried + change.String() + " " + doc.Name()
}

// parseCarried reads the message of a change that carries another, and the
// context where that was made, if it is named.
func parseCarried(message string) (change kaijutsu.ChangeHash, doc kaijutsu.DocumentID, ok bool) {
	rest, ok := strings.CutPrefix(message, carried)
	if !ok {
		return change, doc, false
	}
	hash, where, named := strings.Cut(rest, " ")
	change, err := kaijutsu.ParseChangeHash(hash)
	if err != nil {
		return change, doc, false
	}
	if named {
		if cid, err := kaijutsu.ParseContextID(where); err == nil {
			doc = cid.Document()
		}
	}
	return change, doc, true
}
