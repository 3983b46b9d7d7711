package shelldoor

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// flushBytes is how much of standard input goes into one call at most.
const flushBytes = 4 << 10

// streams reports whether standard input goes out as it comes, so that others
// see it live: what is appended, and a new block that is not a finished record.
func (l *line) streams(v *value) bool {
	form := l.value("form")
	return l.couldStream(v) && (form == nil || !form.set || string(form.raw[0]) != `"body"`)
}

// couldStream reports whether the parameter is one that streams.
func (l *line) couldStream(v *value) bool {
	return l.op.Name == "block_append" && v.name == "text" ||
		l.op.Name == "block_create" && v.name == "content" && l.tree.ops["block_append"] != nil
}

// stream reads standard input and appends each piece as it comes: to the block
// that the line names, or to the one that the first piece makes. It returns the
// result of the line's own operation: of the only call that made the block, or
// of the last one that appended.
func (l *line) stream(ctx context.Context, base json.RawMessage, v *value, in io.Reader) (json.RawMessage, error) {
	l.chunk()
	s := &stream{line: l, base: base, text: v}
	r := bufio.NewReaderSize(in, flushBytes)
	rest := "" // the beginning of a character whose end has not come yet
	for {
		if _, err := r.Peek(1); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("read standard input: %w", err)
		}
		piece := make([]byte, r.Buffered())
		n, err := r.Read(piece)
		if err != nil {
			return nil, fmt.Errorf("read standard input: %w", err)
		}
		var whole string
		whole, rest = splitAtCharacter(rest + string(piece[:n]))
		if whole == "" {
			continue
		}
		if err := s.add(ctx, whole); err != nil {
			return nil, err
		}
	}
	if rest != "" || s.result == nil {
		if err := s.add(ctx, rest); err != nil {
			return nil, err
		}
	}
	return s.result, s.finish(ctx)
}

// stream is one run that reads standard input piece by piece.
type stream struct {
	line   *line
	base   json.RawMessage
	text   *value
	result json.RawMessage // of the line's own operation; nil: not called yet
	target json.RawMessage // parameters that name the block that was made
}

// chunk makes what a machine writes a record that can be added to, unless the
// line says what form it has.
func (l *line) chunk() {
	role, form := l.value("role"), l.value("form")
	if l.op.Name == "block_create" && role.set && string(role.raw[0]) != `"user"` && !form.set {
		form.set, form.raw = true, []json.RawMessage{json.RawMessage(`"chunks"`)}
	}
}

// add sends one piece. What is not UTF-8 in it, as programs may print, becomes
// the replacement character.
func (s *stream) add(ctx context.Context, piece string) error {
	piece = strings.ToValidUTF8(piece, "\ufffd")
	if s.target != nil {
		return s.about(ctx, "block_append", "text", piece)
	}
	s.text.raw = nil
	if err := s.text.take(piece); err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	params, err := s.line.object(s.base)
	if err != nil {
		return err
	}
	if s.result, err = s.line.tree.door.Run(ctx, s.line.op, params); err != nil {
		return err
	}
	if s.line.op.Name == "block_create" {
		return s.aim()
	}
	return nil
}

// aim remembers the block that the first piece made.
func (s *stream) aim() error {
	var made struct {
		Block   string `json:"block_id"`
		Context string `json:"context"`
	}
	if err := json.Unmarshal(s.result, &made); err != nil {
		return fmt.Errorf("result: %w", err)
	}
	var err error
	s.target, err = json.Marshal(map[string]string{"block_id": made.Block, "context": made.Context})
	return err
}

// about runs an operation on the block that was made.
func (s *stream) about(ctx context.Context, name, param, word string) error {
	var params map[string]json.RawMessage
	if err := json.Unmarshal(s.target, &params); err != nil {
		return err
	}
	raw, err := text(word)
	if err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	params[param] = raw
	b, err := json.Marshal(params)
	if err != nil {
		return err
	}
	_, err = s.line.tree.door.Run(ctx, s.line.tree.ops[name], b)
	return err
}

// finish marks a block that this run made in chunks as done, unless the line
// gave it a status.
func (s *stream) finish(ctx context.Context) error {
	form, status := s.line.value("form"), s.line.value("status")
	if s.target == nil || !form.set || string(form.raw[0]) != `"chunks"` || status.set || s.line.tree.ops["block_status"] == nil {
		return nil
	}
	return s.about(ctx, "block_status", "status", "done")
}

// splitAtCharacter cuts s before an unfinished UTF-8 sequence at its end.
func splitAtCharacter(s string) (whole, rest string) {
	for i := 1; i < 4 && i <= len(s); i++ {
		c := s[len(s)-i]
		if c&0xc0 == 0x80 {
			continue
		}
		need := 1
		switch {
		case c >= 0xf0:
			need = 4
		case c >= 0xe0:
			need = 3
		case c >= 0xc0:
			need = 2
		}
		if need > i {
			return s[:len(s)-i], s[len(s)-i:]
		}
		break
	}
	return s, ""
}
