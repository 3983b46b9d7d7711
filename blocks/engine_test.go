package blocks

import (
	"errors"
	"strings"
	"testing"
	"time"

	"kaijutsu"
)

// faulty is the engine with writes that fail, and commits that go wrong.
type faulty struct {
	engine
	writes   int // that still work
	onCommit func() ([]byte, error)
}

var errFault = errors.New("fault")

func (f *faulty) write() error {
	if f.writes--; f.writes < 0 {
		return errFault
	}
	return nil
}

func (f *faulty) putString(m engineObject, key, s string) error {
	return errors.Join(f.write(), f.engine.putString(m, key, s))
}

func (f *faulty) putObject(m engineObject, key string, kind engineKind) (engineObject, error) {
	o, err := f.engine.putObject(m, key, kind)
	return o, errors.Join(f.write(), err)
}

func (f *faulty) splice(t engineObject, pos, del int, s string) error {
	return errors.Join(f.write(), f.engine.splice(t, pos, del, s))
}

func (f *faulty) push(l engineObject, s string) error {
	return errors.Join(f.write(), f.engine.push(l, s))
}

func (f *faulty) remove(m engineObject, key string) error {
	return errors.Join(f.write(), f.engine.remove(m, key))
}

func (f *faulty) commit(message string, at time.Time) ([]byte, error) {
	if f.onCommit != nil {
		return f.onCommit()
	}
	return f.engine.commit(message, at)
}

func TestWritesThatFailLeaveNothingBehind(t *testing.T) {
	p := newPair(t, "actor")
	text := p.insert(BlockSpec{Content: "text"})
	stream := p.insert(BlockSpec{Role: RoleModel, Status: StatusRunning, Content: "chunk"})
	heads, contents := p.editor.Heads(), p.contents()
	real := p.editor.engine
	edits := map[string]func(tx *Tx) error{
		"title": func(tx *Tx) error { return tx.SetTitle("lost") },
		"insert": func(tx *Tx) error {
			return tx.InsertBlock(BlockSpec{ID: NewID(p.now), Parent: text, Content: "x", Meta: "{}"})
		},
		"append text":   func(tx *Tx) error { return tx.AppendText(text, "lost") },
		"append chunks": func(tx *Tx) error { return tx.AppendText(stream, "lost") },
		"seal":          func(tx *Tx) error { return tx.SetStatus(stream, StatusDone) },
	}
	for name, edit := range edits {
		t.Run(name, func(t *testing.T) {
			for n := 0; ; n++ {
				f := &faulty{engine: real, writes: n}
				p.editor.engine = f
				raw, err := p.commit(func(tx *Tx) error {
					_ = edit(tx) // a caller that looks away
					return nil
				})
				p.editor.engine = real
				if f.writes >= 0 {
					if n == 0 || raw == nil || err != nil {
						t.Fatalf("without a fault after %d writes: %x, %v", n, raw, err)
					}
					break
				}
				if raw != nil || !errors.Is(err, errFault) {
					t.Fatalf("a fault after %d writes: Commit = %x, %v, want %v", n, raw, err, errFault)
				}
				if got := p.editor.Heads(); !got.Equal(heads) || p.contents() != contents || real.pending() != 0 {
					t.Fatalf("a fault after %d writes: heads %v, contents %q, %d operations pending", n, got, p.contents(), real.pending())
				}
			}
			heads, contents = p.editor.Heads(), p.contents()
		})
	}
	if err := p.editor.checkHeads(); err != nil {
		t.Error(err)
	}
}

func TestAChangeThatIsWrongEndsTheEditor(t *testing.T) {
	other := newPair(t, "other").must(func(tx *Tx) error { return tx.SetTitle("other") })
	for name, commit := range map[string]func() ([]byte, error){
		"junk":               func() ([]byte, error) { return []byte("junk"), nil },
		"another's change":   func() ([]byte, error) { return other, nil },
		"no change":          func() ([]byte, error) { return nil, errFault },
		"the genesis change": func() ([]byte, error) { return Genesis().Raw, nil },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPair(t, "actor")
			p.editor.engine = &faulty{engine: p.editor.engine, writes: 1 << 20, onCommit: commit}
			if raw, err := p.commit(func(tx *Tx) error { return tx.SetTitle("x") }); raw != nil || err == nil {
				t.Errorf("Commit = %x, %v, want an error", raw, err)
			}
			if _, err := p.commit(func(tx *Tx) error { return tx.SetTitle("x") }); err == nil || !strings.Contains(err.Error(), "opened again") {
				t.Errorf("Commit afterwards = %v, want the editor to be unusable", err)
			}
		})
	}
}

func TestOneChangeIsBounded(t *testing.T) {
	p := newPair(t, "actor")
	id := p.insert(BlockSpec{})
	stream := p.insert(BlockSpec{Role: RoleModel, Status: StatusRunning})
	heads := p.editor.Heads()
	for name, f := range map[string]func(tx *Tx) error{
		"operations": func(tx *Tx) error {
			for range maxTxOps/maxTextRunes + 1 {
				if err := tx.AppendText(id, strings.Repeat("x", maxTextRunes)); err != nil {
					return err
				}
			}
			return nil
		},
		"bytes": func(tx *Tx) error {
			for range maxTxBytes/maxRecordBytes + 1 {
				if err := tx.AppendText(stream, strings.Repeat("x", maxRecordBytes)); err != nil {
					return err
				}
			}
			return nil
		},
		"a title": func(tx *Tx) error { return tx.SetTitle(strings.Repeat("x", maxTitleBytes+1)) },
		"meta": func(tx *Tx) error {
			return tx.InsertBlock(BlockSpec{ID: NewID(p.now), Meta: "{" + strings.Repeat(" ", maxMetaBytes) + "}"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			if raw, err := p.commit(f); raw != nil || !errors.Is(err, kaijutsu.ErrTooLarge) || !p.editor.Heads().Equal(heads) {
				t.Errorf("Commit = %d bytes, %v, want an error that wraps ErrTooLarge", len(raw), err)
			}
		})
	}
	if _, err := p.commit(func(tx *Tx) error { return tx.SetTitle("\xff") }); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("SetTitle(bad UTF-8) = %v, want an error that wraps ErrInvalid", err)
	}
}

func TestAStreamTooLongForOneBodyStaysInChunks(t *testing.T) {
	p := newPair(t, "actor")
	id := p.insert(BlockSpec{Role: RoleModel, Status: StatusRunning})
	for range 3 {
		p.must(func(tx *Tx) error { return tx.AppendText(id, strings.Repeat("x", maxRecordBytes/2)) })
	}
	p.must(func(tx *Tx) error { return tx.SetStatus(id, StatusDone) })
	if b := p.block(id); b.Form != FormChunks || b.Status != StatusDone || len(b.Content) != 3*maxRecordBytes/2 {
		t.Errorf("form %s, status %s, %d bytes", b.Form, b.Status, len(b.Content))
	}
}

func TestEstimatesOfMemory(t *testing.T) {
	p := newPair(t, "actor")
	engine, model := p.editor.Bytes(), p.model.Bytes()
	p.insert(BlockSpec{Content: strings.Repeat("x", 10_000)})
	if got := p.editor.Bytes() - engine; got < 10_000*engineOpBytes || got > 12_000*engineOpBytes {
		t.Errorf("the editor grew by %d bytes", got)
	}
	if got := p.model.Bytes() - model; got < 10_000 || got > 15_000 {
		t.Errorf("the model grew by %d bytes", got)
	}
}
