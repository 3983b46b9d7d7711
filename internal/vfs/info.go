package vfs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"time"
	"unicode/utf8"

	"kaijutsu"
)

// Kind says what stands at a path.
type Kind string

// The kinds. KindSubmodule comes from git mounts only; KindOther is a pipe,
// socket or device, which is never opened.
const (
	KindFile      Kind = "file"
	KindDir       Kind = "dir"
	KindSymlink   Kind = "symlink"
	KindSubmodule Kind = "submodule"
	KindOther     Kind = "other"
)

// Info describes what stands at a path; a link is described, not followed,
// except by Read, which describes the file that it read.
type Info struct {
	// Path is relative to the mount from an FS, absolute from a Table.
	Path string
	Kind Kind
	// Size in bytes; 0 but for files.
	Size    int64
	Mode    fs.FileMode
	ModTime time.Time // UTC
	// Target is what a link names, as it stands in the link.
	Target string
	// Binary says that a file is not UTF-8 text (IsBinary). Only Read looks.
	Binary bool
	// Document and Block hold the file's text where it is a block.
	Document kaijutsu.DocumentID
	Block    string
	// Hash is the SHA-256 of what was read or written, in hex, for IfHash;
	// empty when neither was done.
	Hash string
}

// WriteOptions say how Write writes. The zero value writes a file in a
// directory that is there, over what it held.
type WriteOptions struct {
	// Exec sets or takes away the right to execute; nil keeps it.
	Exec *bool
	// Exclusive refuses to write over anything: ErrExists.
	Exclusive bool
	// Parents makes the directories that are missing.
	Parents bool
	// IfHash is the Hash that the file must still have; "" asks for nothing.
	// What has another, and a file that is not there, is ErrConflict.
	IfHash string
}

// FS is what can be mounted. Names are relative to the mount and clean (Clean
// returns them so), "." being the mount itself; what is not clean is refused
// with ErrEscapes or kaijutsu.ErrInvalid. Everything is safe for concurrent
// use. What is missing is kaijutsu.ErrNotFound.
type FS interface {
	// Stat describes a name; of a link, the link.
	Stat(ctx context.Context, name string) (Info, error)
	// List describes what a directory holds, by name. A link is not followed:
	// ErrNotDirectory.
	List(ctx context.Context, name string) ([]Info, error)
	// Read returns a file of at most limit bytes, 64 MiB where that is 0; of
	// one that has more it returns the description and kaijutsu.ErrTooLarge.
	Read(ctx context.Context, by kaijutsu.Principal, name string, limit int64) ([]byte, Info, error)
	// Write makes data the whole of a file, in one step.
	Write(ctx context.Context, by kaijutsu.Principal, name string, data []byte, o WriteOptions) (Info, error)
	// Mkdir makes a directory, and those above it that are missing; ErrExists
	// when it is there.
	Mkdir(ctx context.Context, by kaijutsu.Principal, name string) error
	// Remove removes a file, a link or an empty directory, and with recursive
	// a directory with everything in it.
	Remove(ctx context.Context, by kaijutsu.Principal, name string, recursive bool) error
	// Rename moves a file, link or directory. It replaces a file with a file;
	// a directory is never replaced, nor replaces anything: ErrExists.
	Rename(ctx context.Context, by kaijutsu.Principal, from, to string) error
}

// Peeker is an FS whose Read has effects, such as making a block of what is
// read. Search reads through Peek where there is one: as Read, without them.
type Peeker interface {
	Peek(ctx context.Context, name string, limit int64) ([]byte, Info, error)
}

// maxRead is how much is read of a file when no limit is given, and at most
// held of a file that is compared.
const maxRead = 64 << 20

// HashOf returns what Info.Hash is of these bytes.
func HashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// sniffBytes is how far a NUL is looked for, as git does.
const sniffBytes = 8 << 10

// IsBinary reports whether data is not text: it has a NUL in its first 8 KiB or
// is not UTF-8.
func IsBinary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), sniffBytes)], 0) >= 0 || !utf8.Valid(data)
}

// kindOf returns the kind of a file mode.
func kindOf(m fs.FileMode) Kind {
	switch m.Type() {
	case 0:
		return KindFile
	case fs.ModeDir:
		return KindDir
	case fs.ModeSymlink:
		return KindSymlink
	}
	return KindOther
}
