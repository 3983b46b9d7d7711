package shelldoor

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// takeFile reads the file that an import names, and takes the format from its
// name.
func (l *line) takeFile(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if len(args) > 1 {
		return fmt.Errorf("%q is one word too many: %s", args[1], cmd.UseLine())
	}
	name := strings.TrimPrefix(args[0], TextMark)
	format, content, binary := l.value("format"), l.value("content"), l.value("content_base64")
	if !format.set {
		known := formats[strings.ToLower(filepath.Ext(name))]
		if known == "" {
			return fmt.Errorf("%s: the name does not tell the format: add --format markdown, json or automerge", name)
		}
		if err := format.take(known); err != nil {
			return err
		}
	}
	asBase64 := string(format.raw[0]) == `"automerge"`
	if name == "-" && !asBase64 {
		content.set, content.input = true, true
		return nil
	}
	b, err := readFile(name, cmd.InOrStdin())
	if err != nil {
		return err
	}
	if asBase64 {
		return binary.take(base64.StdEncoding.EncodeToString(b))
	}
	if err := content.take(string(b)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func readFile(name string, in io.Reader) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(in)
	}
	return os.ReadFile(name)
}

// takeOutput takes the format of an export from the name of the file to write.
func (l *line) takeOutput() error {
	format := l.value("format")
	known := formats[strings.ToLower(filepath.Ext(l.output))]
	if l.output == "" || format == nil || format.set || known == "" || l.params != "" {
		return nil
	}
	return format.take(known)
}

// exported is the result of an export.
type exported struct {
	Format  string `json:"format"`
	Content string `json:"content"`
	Base64  string `json:"content_base64"`
}

// showExport writes the content to the file that the line names, or to
// standard output.
func (l *line) showExport(cmd *cobra.Command, result json.RawMessage) error {
	var e exported
	if err := json.Unmarshal(result, &e); err != nil {
		return err
	}
	content := []byte(e.Content)
	if e.Base64 != "" {
		var err error
		if content, err = base64.StdEncoding.DecodeString(e.Base64); err != nil {
			return fmt.Errorf("result: %w", err)
		}
	}
	if l.output == "" {
		out := cmd.OutOrStdout()
		if e.Base64 != "" && IsTerminal(out) {
			return Usage(cmd, errors.New("the file is binary; name one with -o, or redirect the output"))
		}
		_, err := out.Write(content)
		return err
	}
	n, err := WriteWhole(l.output, strings.NewReader(string(content)))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.ErrOrStderr(), "wrote %s (%d bytes, %s)\n", l.output, n, e.Format)
	return err
}

// WriteWhole writes a file beside the target and renames it, so that a broken
// connection leaves no half of one. It returns the number of bytes.
func WriteWhole(path string, r io.Reader) (n int64, err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".kj-export-*")
	if err != nil {
		return 0, err
	}
	defer os.Remove(tmp.Name())
	if n, err = io.Copy(tmp, r); err != nil {
		tmp.Close()
		return n, fmt.Errorf("write %s: %w", path, err)
	}
	if err := tmp.Chmod(0o644); err != nil {
		tmp.Close()
		return n, err
	}
	if err := tmp.Close(); err != nil {
		return n, fmt.Errorf("write %s: %w", path, err)
	}
	return n, os.Rename(tmp.Name(), path)
}
