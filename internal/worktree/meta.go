package worktree

import (
	"context"
	"encoding/json"
	"path"
	"strings"
	"time"

	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
)

// languages are what files are written in, by the end of their names.
var languages = map[string]string{
	".go": "go", ".mod": "go", ".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".hpp": "cpp", ".rs": "rust", ".py": "python",
	".js": "javascript", ".mjs": "javascript", ".jsx": "javascript", ".ts": "typescript", ".tsx": "typescript", ".java": "java",
	".kt": "kotlin", ".swift": "swift", ".rb": "ruby", ".php": "php", ".cs": "csharp", ".sh": "shell", ".bash": "shell", ".zsh": "shell",
	".sql": "sql", ".html": "html", ".css": "css", ".scss": "scss", ".md": "markdown", ".json": "json", ".yaml": "yaml", ".yml": "yaml",
	".toml": "toml", ".xml": "xml", ".lua": "lua", ".zig": "zig", ".ex": "elixir", ".exs": "elixir", ".hs": "haskell", ".ml": "ocaml",
	".scala": "scala", ".proto": "protobuf", ".tf": "terraform", ".txt": "text", ".tex": "latex",
}

// language returns what a file is written in, "" when its name does not say.
func language(name string) string {
	switch base := path.Base(name); base {
	case "Makefile", "makefile", "GNUmakefile":
		return "make"
	case "Dockerfile":
		return "dockerfile"
	}
	return languages[strings.ToLower(path.Ext(name))]
}

// rightMeta returns the meta that a file's block should have, given the one that
// it has: what others have added stays. ok is false when it is right already.
func rightMeta(meta, mount, name string) (right string, ok bool) {
	fields := map[string]json.RawMessage{}
	if json.Unmarshal([]byte(meta), &fields) != nil || fields == nil {
		fields = map[string]json.RawMessage{}
	}
	changed := false
	put := func(key, value string) {
		data, err := json.Marshal(value)
		if err != nil {
			return
		}
		var now string
		if json.Unmarshal(fields[key], &now) == nil && now == value && fields[key] != nil {
			return
		}
		fields[key], changed = data, true
	}
	put("path", name)
	put("mount", mount)
	if lang := language(name); lang != "" {
		put("lang", lang)
	}
	if !changed {
		return "", false
	}
	data, err := json.Marshal(fields)
	if err != nil || len(data) > 32<<10 {
		data, _ = json.Marshal(map[string]string{"path": name, "mount": mount, "lang": language(name)})
	}
	return string(data), true
}

// rightEvery is how often a meta is put right at most, so that an editor that
// insists on another is no circle.
const rightEvery = time.Second

// rightMetas puts right the metas of blocks that others, or a rename, have
// changed.
func (o *Overlay) rightMetas(ctx context.Context, looks []*look) {
	now := time.Now()
	metas := map[*file]string{}
	for _, l := range looks {
		f := l.f
		if !f.touched || !l.asked || !l.b.Exists {
			continue
		}
		meta, wrong := rightMeta(l.meta, o.cfg.Mount, f.rec.Path)
		switch {
		case !wrong:
			f.touched = false
		case now.Sub(f.rightAt) < rightEvery:
			f.hurry(f.rightAt.Add(rightEvery))
		default:
			metas[f] = meta
			f.touched, f.rightAt = false, now
		}
	}
	if len(metas) == 0 {
		return
	}
	_, err := o.cfg.Repo.Edit(ctx, o.own.at.Doc, repo.Edit{By: Keeper, Message: "op:file_meta"}, func(v repo.View, tx *blocks.Tx) error {
		for f, meta := range metas {
			if b, ok := v.Block(f.rec.Block); !ok || b.Deleted {
				continue
			}
			if err := tx.SetMeta(f.rec.Block, meta); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && ctx.Err() == nil {
		o.cfg.Log.Warn("metas of file blocks are not put right", "mount", o.cfg.Mount, "err", err)
	}
}
