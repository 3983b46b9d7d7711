package policy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// readMark returns up to which entry of the journal was looked at; false: it is
// not known. The file is ours and small; what is not as we write it is nothing.
func readMark(file string) (uint64, bool, error) {
	if file == "" {
		return 0, false, nil
	}
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("read %s: %w", file, err)
	}
	text, whole := strings.CutSuffix(string(b), "\n")
	n, err := strconv.ParseUint(text, 10, 64)
	return n, whole && err == nil, nil
}

// writeMark replaces the file at once. It is not synced: after a power cut it
// may be older, or empty.
func writeMark(file string, n uint64) error {
	if file == "" {
		return nil
	}
	temp := file + ".new"
	if err := os.WriteFile(temp, []byte(strconv.FormatUint(n, 10)+"\n"), 0o600); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(file), err)
	}
	if err := os.Rename(temp, file); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(file), err)
	}
	return nil
}

// removeMark says that nothing is looked at.
func removeMark(file string) error {
	if file == "" {
		return nil
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", filepath.Base(file), err)
	}
	return nil
}
