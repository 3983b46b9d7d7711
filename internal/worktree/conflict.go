package worktree

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/textdiff"
)

// maxShown bounds the text of a conflict block, in bytes.
const maxShown = 24 << 10

// metaOfNotice is the meta of a block that says what is the matter with a file.
type metaOfNotice struct {
	Path   string `json:"path"`
	Mount  string `json:"mount"`
	Block  string `json:"block,omitempty"`
	Disk   string `json:"disk,omitempty"` // SHA-256 of the disk's bytes
	Closed string `json:"closed,omitempty"`
}

// howToEnd says what ends a conflict.
func howToEnd(path string, here bool) string {
	s := "Nothing of this file goes to the disk or comes from it until that is settled: edit the block or the file until both say the same, "
	if here {
		s += "put the file back as it was, "
	}
	return s + fmt.Sprintf("resolve %s with take block, disk or merged, or delete this block to keep what the block says.\n", path)
}

// conflictText shows the lines that block and disk have each changed.
func conflictText(path, base string, conflicts []textdiff.Conflict) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s was changed on the disk and in its block, at the same lines. %s", path, howToEnd(path, true))
	for i, c := range conflicts {
		if b.Len() > maxShown {
			fmt.Fprintf(&b, "\n… and %d more places\n", len(conflicts)-i)
			break
		}
		b.WriteString("\n<<<<<<< block\n")
		writeLines(&b, c.Ours)
		b.WriteString("||||||| agreed\n")
		writeLines(&b, c.Base)
		b.WriteString("=======\n")
		writeLines(&b, c.Theirs)
		b.WriteString(">>>>>>> disk\n")
	}
	return b.String()
}

func writeLines(b *strings.Builder, lines []string) {
	for _, line := range lines {
		if b.Len() > maxShown {
			b.WriteString("…\n")
			return
		}
		b.WriteString(strings.TrimSuffix(cut(line, 2000), "\n"))
		b.WriteByte('\n')
	}
}

// conflict shows that a file waits for somebody to decide, and why: in a block
// below the file's, which is written anew when the disk holds something else.
func (o *Overlay) conflict(ctx context.Context, l *look, text string) error {
	f := l.f
	f.stale, f.dirty = true, true
	if c := f.rec.Conflict; c != nil && c.Disk == l.disk {
		return nil
	}
	id := blocks.NewID(o.cfg.Now())
	if c := f.rec.Conflict; c != nil {
		if err := o.deleteNotice(ctx, c.Block); err != nil {
			return err
		}
		delete(o.own.aside, c.Block)
	}
	o.aside(f, id)
	meta := metaOfNotice{Path: f.rec.Path, Block: string(f.rec.Block), Disk: hashRow(l.disk)}
	if err := o.insertNotice(ctx, id, f.rec.Block, text, meta); err != nil {
		return err
	}
	f.rec.Conflict, f.saved = &conflict{Block: id, Disk: l.disk}, false
	o.cfg.Log.Info("file in conflict", "mount", o.cfg.Mount, "block", f.rec.Block)
	return o.save(ctx, o.own.at.Doc, []*file{f})
}

// insertNotice writes a block that says what is the matter.
func (o *Overlay) insertNotice(ctx context.Context, id, parent blocks.ID, text string, m metaOfNotice) error {
	m.Mount = o.cfg.Mount
	key := "conflict"
	if m.Closed != "" {
		key = "closed"
	}
	meta, err := json.Marshal(map[string]metaOfNotice{key: m})
	if err != nil {
		return err
	}
	_, err = o.cfg.Repo.Edit(ctx, o.own.at.Doc, repo.Edit{By: Keeper, Message: "op:file_notice"}, func(_ repo.View, tx *blocks.Tx) error {
		return tx.InsertBlock(blocks.BlockSpec{
			ID: id, Parent: parent, Kind: blocks.KindError, Role: blocks.RoleSystem, Form: blocks.FormBody, Content: text, Meta: string(meta),
		})
	})
	if err != nil {
		return fmt.Errorf("say what is the matter with a file: %w", err)
	}
	return nil
}

// deleteNotice takes away a block that said what was the matter.
func (o *Overlay) deleteNotice(ctx context.Context, id blocks.ID) error {
	_, err := o.cfg.Repo.Edit(ctx, o.own.at.Doc, repo.Edit{By: Keeper, Message: "op:file_notice"}, func(v repo.View, tx *blocks.Tx) error {
		if b, ok := v.Block(id); !ok || b.Deleted {
			return nil
		}
		return tx.Delete(id)
	})
	return err
}
