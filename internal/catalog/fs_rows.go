package catalog

import (
	"path"
	"strconv"
	"strings"

	"kaijutsu/internal/op"
	"kaijutsu/internal/vfs"
)

// onPath is the parameter of an operation on a file.
type onPath struct {
	Path string `json:"path" jsonschema:"The file, by its path in the file tree: /mnt/app/src/main.go." rule:"minlen=1,maxlen=4096"`
}

// someLines is the parameter that says which lines of a file are meant.
type someLines struct {
	Lines string `json:"lines,omitempty" jsonschema:"Which lines: 3,9 is the third to the ninth, 3, those from the third on, 3 the third alone. Default: all." rule:"numeric,maxlen=21,pattern=^[1-9][0-9]{0,8}(,([1-9][0-9]{0,8})?)?$"`
}

// span returns the first and the last of the lines, from 1; 0, 0 for all, and a
// last of 0 for the end.
func (l someLines) span() (first, last int, err error) {
	if l.Lines == "" {
		return 0, 0, nil
	}
	from, to, isRange := strings.Cut(l.Lines, ",")
	if first, err = strconv.Atoi(from); err != nil {
		return 0, 0, &op.FieldError{Field: "lines", Reason: "want numbers such as 3,9"}
	}
	switch {
	case !isRange:
		return first, first, nil
	case to == "":
		return first, 0, nil
	}
	if last, err = strconv.Atoi(to); err != nil || last < first {
		return 0, 0, &op.FieldError{Field: "lines", Reason: "they end before they begin", Hint: "want the first line and then the last, such as 3,9"}
	}
	return first, last, nil
}

// entryRow is what stands at a path.
type entryRow struct {
	Name       string `json:"name"`
	Path       string `json:"path"`
	Kind       string `json:"kind" jsonschema:"file, dir, symlink, submodule (another repository), or other, which is never opened."`
	Size       int64  `json:"size" jsonschema:"Of a file, in bytes."`
	Executable bool   `json:"executable,omitempty"`
	Modified   string `json:"modified,omitempty"`
	Target     string `json:"target,omitempty" jsonschema:"What a link names, as it stands in the link."`
	Binary     bool   `json:"binary,omitempty" jsonschema:"It is known to be no text."`
	Context    string `json:"context,omitempty" jsonschema:"The id of the context that holds its block."`
	Block      string `json:"block_id,omitempty" jsonschema:"The block that is the file: whoever edits it edits the file. Absent: none is, or nobody has read it yet."`
	Hash       string `json:"hash,omitempty" jsonschema:"SHA-256 of what it holds, for if_hash of fs_write. It is there when the content was read or written."`
}

func entryRowOf(i vfs.Info) entryRow {
	row := entryRow{
		Name: path.Base(i.Path), Path: i.Path, Kind: string(i.Kind), Size: i.Size, Modified: timeText(i.ModTime), Target: i.Target,
		Executable: i.Kind == vfs.KindFile && i.Mode&0o100 != 0, Binary: i.Binary, Block: i.Block, Hash: i.Hash,
	}
	if !i.Document.IsZero() {
		row.Context = i.Document.Name()
	}
	return row
}
