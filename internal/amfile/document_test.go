package amfile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"os/exec"
	"testing"

	"kaijutsu"
)

// TestDocumentsOfRealHistories takes apart what JavaScript saved, puts it
// together again, and compares both ways; JavaScript then opens the result.
func TestDocumentsOfRealHistories(t *testing.T) {
	js := startLoader(t)
	changes, ops := 0, 0
	eachReal(t, func(real realHistory) {
		decoded, err := DecodeDocument(real.document)
		if err != nil {
			t.Errorf("%s: %v", real.name, err)
			return
		}
		wantChanges(t, real, decoded)
		for _, c := range decoded {
			ops += len(c.Ops)
		}
		changes += len(decoded)

		chunk, err := EncodeDocument(decoded)
		if err != nil {
			t.Errorf("%s: %v", real.name, err)
			return
		}
		wantSameColumns(t, real.name, chunk, real.document)
		again, err := DecodeDocument(chunk)
		if err != nil {
			t.Errorf("%s: own document: %v", real.name, err)
			return
		}
		wantChanges(t, real, again)
		if got := js.load(chunk); !bytes.Equal(got, real.description) {
			t.Errorf("%s: JavaScript opens own document as %.300s, want %.300s", real.name, got, real.description)
		}
	})
	t.Logf("%d changes, %d operations", changes, ops)
}

func TestGoldenDocuments(t *testing.T) {
	for name, v := range vectors(t)["documents"] {
		t.Run(name, func(t *testing.T) {
			changes, err := DecodeDocument(v.bytes(t))
			if err != nil {
				t.Fatal(err)
			}
			want, _ := v.Want["changes"].([]any)
			if len(changes) != len(want) {
				t.Errorf("%d changes, want %d", len(changes), len(want))
			}
			for i := range min(len(changes), len(want)) {
				if got := hex.EncodeToString(changes[i].Raw); got != want[i] {
					t.Errorf("change %d = %s, want %s", i, got, want[i])
				}
			}
			if chunk, err := EncodeDocument(changes); err != nil || !bytes.Equal(chunk, v.bytes(t)) {
				t.Errorf("EncodeDocument = %x, %v, want %s", chunk, err, v.Hex)
			}
		})
	}
}

func TestCrashingDocumentsAreRefused(t *testing.T) {
	for name, data := range crashers(t, "load_") {
		t.Run(name, func(t *testing.T) {
			if _, err := DecodeDocument(data); err == nil {
				t.Error("accepted, want an error")
			} else {
				t.Log(err)
			}
		})
	}
}

// TestDocumentsOfDecodedChanges puts documents together from change chunks, as
// a server does, and in another order of the changes.
func TestDocumentsOfDecodedChanges(t *testing.T) {
	js := startLoader(t)
	eachReal(t, func(real realHistory) {
		var changes []*Change
		for i, raw := range real.changes {
			c, err := DecodeChange(raw)
			if err != nil {
				t.Fatalf("%s: change %d: %v", real.name, i, err)
			}
			changes = append(changes, c)
		}
		chunk, err := EncodeDocument(changes)
		if err != nil {
			t.Errorf("%s: %v", real.name, err)
			return
		}
		wantSameColumns(t, real.name, chunk, real.document)
		chunk, err = EncodeDocument(reordered(changes))
		if err != nil {
			t.Errorf("%s: other order: %v", real.name, err)
			return
		}
		if got := js.load(chunk); !bytes.Equal(got, real.description) {
			t.Errorf("%s: other order: JavaScript opens it as %.300s, want %.300s", real.name, got, real.description)
		}
	})
}

func wantChanges(t *testing.T, real realHistory, got []*Change) {
	t.Helper()
	if len(got) != len(real.changes) {
		t.Errorf("%s: %d changes, want %d", real.name, len(got), len(real.changes))
		return
	}
	for i, c := range got {
		if !bytes.Equal(c.Raw, real.changes[i]) {
			t.Errorf("%s: change %d = %x, want %x", real.name, i, c.Raw, real.changes[i])
			return
		}
		if h, err := DecodeHeader(c.Raw); err != nil || h.Hash != c.Hash || h.MaxOp() != c.MaxOp() {
			t.Errorf("%s: change %d: header %+v, %v, want hash %s", real.name, i, h, err, c.Hash)
		}
	}
}

// reordered returns the changes in the topological order that takes the
// youngest change that can be taken first, seen from the end.
func reordered(changes []*Change) []*Change {
	index := map[kaijutsu.ChangeHash]int{}
	waiting := make([]int, len(changes)) // how many depend on it
	for i, c := range changes {
		index[c.Hash] = i
		for _, dep := range c.Deps {
			waiting[index[dep]]++
		}
	}
	out := make([]*Change, len(changes))
	var free []int
	for i := range changes {
		if waiting[i] == 0 {
			free = append(free, i)
		}
	}
	for at := len(out) - 1; at >= 0; at-- {
		i := free[0]
		free = free[1:]
		out[at] = changes[i]
		for _, dep := range changes[i].Deps {
			if waiting[index[dep]]--; waiting[index[dep]] == 0 {
				free = append(free, index[dep])
			}
		}
	}
	return out
}

// wantSameColumns demands that two document chunks are equal but for the
// compression of their columns, and for empty messages: changes do not tell
// them from none, the saved document of the editor that wrote them does.
func wantSameColumns(t *testing.T, name string, chunk, want []byte) {
	t.Helper()
	got, wanted := inflateDocument(t, chunk), inflateDocument(t, want)
	for i, part := range wanted {
		if i >= len(got) || got[i] != part {
			t.Errorf("%s: %.100q..., want %.100q...", name, got[min(i, len(got)-1)], part)
			return
		}
	}
	if len(got) > len(wanted) {
		t.Errorf("%s: %.100q... too much", name, got[len(wanted)])
	}
}

// inflateDocument returns the parts of a document chunk's body: what precedes
// the columns, each column inflated, what follows them.
func inflateDocument(t testing.TB, chunk []byte) []string {
	t.Helper()
	c, _, err := readChunk(chunk, 0)
	if err != nil {
		t.Fatal(err)
	}
	r := reader{rest: c.Body}
	for range r.count(1, MaxDocumentActors) {
		r.prefixed()
	}
	r.hashes(MaxDocumentChanges)
	parts := []string{string(c.Body[:len(c.Body)-len(r.rest)])}
	var changeTable, opTable columnTable
	changeTable.readHeader(&r, documentChangeColumns, true)
	opTable.readHeader(&r, documentOpColumns, true)
	for i, table := range []*columnTable{&changeTable, &opTable} {
		table.readData(&r)
		if _, err := table.inflate(MaxDocumentInflatedBytes); err != nil {
			t.Fatal(err)
		}
		for _, col := range table.cols[:table.n] {
			if i == 0 && col.spec == colChangeMessage {
				col.data = withoutEmptyMessages(col.data)
			}
			parts = append(parts, fmt.Sprintf("table %d %v: %x", i, col.spec, col.data))
		}
	}
	if r.err != nil {
		t.Fatal(r.err)
	}
	return append(parts, string(r.rest))
}

func withoutEmptyMessages(col []byte) []byte {
	d := newStringDecoder(col, MaxMessageBytes)
	var e stringEncoder
	for d.left > 0 || len(d.rest) > 0 {
		if message, _ := d.next(); message != "" {
			e.append(message)
		} else {
			e.appendNull()
		}
	}
	return e.finish()
}

// loader is a Node process that opens files; see internal/interop/load.mjs.
type loader struct {
	t   testing.TB
	in  io.Writer
	out *bufio.Reader
}

// startLoader runs until the test ends.
func startLoader(t testing.TB) *loader {
	needNode(t)
	cmd := exec.Command("node", "load.mjs")
	cmd.Dir = interopDir
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	return &loader{t, in, bufio.NewReader(out)}
}

// load returns what JavaScript shows of the file.
func (l *loader) load(file []byte) []byte {
	l.t.Helper()
	if _, err := l.in.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(file))), file...)); err != nil {
		l.t.Fatal(err)
	}
	line, err := l.out.ReadBytes('\n')
	if err != nil {
		l.t.Fatal(err)
	}
	return bytes.TrimSuffix(line, []byte("\n"))
}
