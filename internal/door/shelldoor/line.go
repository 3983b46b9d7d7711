package shelldoor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"kaijutsu/internal/op"
)

// line is the command line of one operation.
type line struct {
	tree   *tree
	op     *op.Op
	values []*value
	asJSON bool
	params string // all parameters as JSON, @FILE or "-"
	output string // the file to write to
	create *line  // of an append: what makes the block that it adds to
	long   bool   // of a list of files: with all that is known of each
}

func newLine(t *tree, o *op.Op) *line {
	l := &line{tree: t, op: o}
	for _, p := range paramsOf(o) {
		l.values = append(l.values, &value{param: p})
	}
	return l
}

// value returns the parameter of a name, nil when there is none.
func (l *line) value(name string) *value {
	i := slices.IndexFunc(l.values, func(v *value) bool { return v.name == name })
	if i < 0 {
		return nil
	}
	return l.values[i]
}

// run reads the line, runs the operation and shows the result.
func (l *line) run(cmd *cobra.Command, args []string) error {
	if list := l.listInstead(args); list != nil {
		return list.run(cmd, nil)
	}
	made, err := l.newBlock(args)
	if made != nil && err == nil {
		return made.run(cmd, args[1:])
	}
	if err == nil {
		err = l.read(cmd, args)
	}
	if err != nil {
		var usage *UsageError
		if errors.As(err, &usage) || errors.Is(err, fs.ErrNotExist) && l.op.Name == importName {
			return err
		}
		return Usage(cmd, err)
	}
	result, err := l.call(cmd.Context(), cmd.InOrStdin())
	if err == nil {
		result, err = l.agree(cmd, result)
	}
	if err != nil {
		return l.withContextHint(err)
	}
	return l.show(cmd, result)
}

// read takes the places on the line, and what was left out.
func (l *line) read(cmd *cobra.Command, args []string) error {
	if err := l.takeArgs(cmd, args); err != nil {
		return err
	}
	if err := l.takeSource(); err != nil {
		return err
	}
	if err := l.takeOutput(); err != nil {
		return err
	}
	var inputs, missing []string
	for _, v := range l.values {
		if v.input {
			inputs = append(inputs, "--"+v.flag)
		}
		if v.required && !v.set && l.params == "" {
			missing = append(missing, l.missing(v))
		}
	}
	if l.params == "-" {
		inputs = append(inputs, "--params")
	}
	switch {
	case len(inputs) > 1:
		return fmt.Errorf("%s cannot all be standard input", strings.Join(inputs, ", "))
	case len(missing) > 0:
		return fmt.Errorf("%s missing: %s", strings.Join(missing, " and "), cmd.UseLine())
	}
	return nil
}

// missing is what a required parameter that was left out is called.
func (l *line) missing(v *value) string {
	switch {
	case l.op.Name == importName && v.arg:
		return "FILE"
	case v.arg:
		return v.label()
	}
	return "--" + v.flag
}

// call runs the operation, with standard input when the line says so.
func (l *line) call(ctx context.Context, in io.Reader) (json.RawMessage, error) {
	base, err := l.base(in)
	if err != nil {
		return nil, err
	}
	for _, v := range l.values {
		if v.input && l.streams(v) {
			return l.stream(ctx, base, v, in)
		}
		if v.input {
			b, err := io.ReadAll(in)
			if err != nil {
				return nil, fmt.Errorf("read standard input: %w", err)
			}
			if err := v.take(string(b)); err != nil {
				return nil, &op.FieldError{Field: v.name, Reason: fmt.Sprintf("standard input: %v", err)}
			}
		}
	}
	params, err := l.object(base)
	if err != nil {
		return nil, err
	}
	return l.tree.door.Run(ctx, l.op, params)
}

// base returns what --params says; nil when the line has no such flag.
func (l *line) base(in io.Reader) (json.RawMessage, error) {
	var text string
	switch {
	case l.params == "":
		return nil, nil
	case l.params == "-":
		b, err := io.ReadAll(in)
		if err != nil {
			return nil, fmt.Errorf("read standard input: %w", err)
		}
		text = string(b)
	default:
		var err error
		if text, err = fileText(l.params); err != nil {
			return nil, fmt.Errorf("--params: %w", err)
		}
	}
	return json.RawMessage(strings.TrimPrefix(text, TextMark)), nil
}

// object returns the parameters: what the flags and places say, on top of base.
// With nothing to add, base goes to the server as it is.
func (l *line) object(base json.RawMessage) (json.RawMessage, error) {
	all := make(map[string]json.RawMessage)
	if base != nil {
		if err := json.Unmarshal(base, &all); err != nil || all == nil {
			return base, nil // the server says what is wrong with it
		}
	}
	added := base == nil
	if !l.asJSON {
		for name, raw := range humane[l.op.Name] {
			if all[name] == nil {
				all[name], added = raw, true
			}
		}
	}
	for _, v := range l.values {
		if !v.set {
			continue
		}
		raw, err := v.json()
		if err != nil {
			return nil, err
		}
		all[v.name], added = raw, true
	}
	if all["context"] == nil && string(all["all"]) != "true" {
		if name := l.context(); name != "" {
			raw, err := text(name)
			if err != nil {
				return nil, fmt.Errorf("context: %w", err)
			}
			all["context"], added = raw, true
		}
	}
	if !added {
		return base, nil
	}
	return json.Marshal(all)
}
