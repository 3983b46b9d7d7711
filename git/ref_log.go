package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const zeroHash = Hash("0000000000000000000000000000000000000000")

// logRef writes the reflogs of an update: that of the ref, and that of HEAD
// where HEAD points to the ref. git writes them before the ref moves, too.
func (r *Repo) logRef(gitDir string, u *refUpdate, by Signature, message string) error {
	line := fmt.Sprintf("%s %s %s\t%s\n", logHash(u.old), logHash(u.new), by.ident(), logMessage(message))
	if err := r.appendLog(r.refHome(gitDir, u.name), u.name, line); err != nil {
		return err
	}
	if u.name == "HEAD" {
		return nil
	}
	head, err := r.readRef(gitDir, "HEAD")
	if err != nil || head.Target != u.name {
		return nil // another worktree's HEAD, or none: not ours to log
	}
	return r.appendLog(gitDir, "HEAD", line)
}

// refHome is the git directory that a ref and its log are in.
func (r *Repo) refHome(gitDir, name string) string {
	if perWorktree(name) {
		return gitDir
	}
	return r.common
}

func logHash(h Hash) Hash {
	if h == "" {
		return zeroHash
	}
	return h
}

func logMessage(s string) string { return strings.Join(strings.Fields(s), " ") }

// appendLog adds a line to a reflog, which is begun for the refs that git
// begins one for.
func (r *Repo) appendLog(dir, name, line string) error {
	path := filepath.Join(dir, "logs", filepath.FromSlash(name))
	flags := os.O_WRONLY | os.O_APPEND
	if r.keepsLog(name) {
		flags |= os.O_CREATE
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return fmt.Errorf("reflog of %s: %w", name, unwritable(err))
		}
		if err := removeEmptyDirs(path); err != nil {
			return fmt.Errorf("reflog of %s: %w", name, err)
		}
	}
	f, err := os.OpenFile(path, flags, 0o666)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reflog of %s: %w", name, unwritable(err))
	}
	_, err = f.WriteString(line)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("reflog of %s: %w", name, unwritable(err))
	}
	return nil
}

// keepsLog says whether git begins a reflog for a ref that has none; see
// core.logAllRefUpdates in git-config(1).
func (r *Repo) keepsLog(name string) bool {
	c, err := r.config()
	if err != nil {
		return false
	}
	if v, _ := c.get("core.logallrefupdates"); v == "always" {
		return true
	}
	if !c.flag("core.logallrefupdates", true) {
		return false
	}
	return name == "HEAD" || strings.HasPrefix(name, "refs/heads/") ||
		strings.HasPrefix(name, "refs/remotes/") || strings.HasPrefix(name, "refs/notes/")
}
