package amfile

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"io"
	"os/exec"
	"reflect"
	"testing"
)

// oracle is a Node process that tells what the npm package makes of changes;
// see testdata/js/oracle.mjs.
type oracle struct {
	t   testing.TB
	in  *bufio.Writer
	out *bufio.Reader
}

// startOracle runs until the test ends.
func startOracle(t testing.TB) *oracle {
	needNode(t)
	cmd := exec.Command("node", "../amfile/testdata/js/oracle.mjs")
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
	return &oracle{t, bufio.NewWriter(in), bufio.NewReader(out)}
}

// base sets the document that later questions start from.
func (o *oracle) base(changes [][]byte) {
	o.in.WriteByte('B')
	binary.Write(o.in, binary.BigEndian, uint32(len(changes)))
	for _, change := range changes {
		o.block(change)
	}
}

func (o *oracle) block(b []byte) {
	binary.Write(o.in, binary.BigEndian, uint32(len(b)))
	o.in.Write(b)
}

func (o *oracle) ask(kind byte, change []byte, answer any) {
	o.t.Helper()
	o.in.WriteByte(kind)
	o.block(change)
	if err := o.in.Flush(); err != nil {
		o.t.Fatalf("oracle: %v", err)
	}
	line, err := o.out.ReadBytes('\n')
	if err == io.EOF {
		o.t.Fatalf("oracle died of %x", change)
	}
	if err != nil {
		o.t.Fatalf("oracle: %v", err)
	}
	if err := json.Unmarshal(line, answer); err != nil {
		o.t.Fatalf("oracle: %v in %s", err, line)
	}
}

// verdict is what became of a change that was applied to the base.
type verdict struct {
	Applied bool   // all its dependencies were there
	Sound   bool   // the result was saved and loaded and is the same
	Error   string // what was thrown
}

// try applies a change to the base, saves and loads the result.
func (o *oracle) try(change []byte) verdict {
	o.t.Helper()
	var v verdict
	o.ask('T', change, &v)
	return v
}

func TestChangesReadAsInJavaScript(t *testing.T) {
	o := startOracle(t)
	compared, unreadable := 0, 0
	realHistories(t, 37, share(1200), "", func(real realHistory) {
		for i, raw := range real.changes {
			if i%3 != 0 {
				continue
			}
			c, err := DecodeChange(raw)
			if err != nil {
				t.Fatalf("%s: change %d: %v", real.name, i, err)
			}
			want := map[string]any{}
			o.ask('D', raw, &want)
			if want["error"] != nil {
				unreadable++ // JavaScript cannot show integers beyond 2^53 here
				continue
			}
			compared++
			wantAsInJavaScript(t, c, want)
			if t.Failed() {
				t.Fatalf("%s: change %d: %x", real.name, i, raw)
			}
		}
	})
	if compared < 5*unreadable {
		t.Errorf("%d changes compared, %d unreadable: too few", compared, unreadable)
	}
	t.Logf("%d changes compared", compared)
}

func wantAsInJavaScript(t *testing.T, c *Change, want map[string]any) {
	t.Helper()
	deps := []string{}
	for _, dep := range c.Deps {
		deps = append(deps, dep.String())
	}
	var message any
	if c.Message != "" {
		message = c.Message
	}
	got := plainJSON(map[string]any{
		"hash": c.Hash.String(), "actor": c.Author().String(), "seq": c.Seq, "startOp": c.StartOp,
		"time": c.Time, "message": message, "deps": deps, "ops": jsOps(c),
	}).(map[string]any)
	for field, value := range got {
		if !reflect.DeepEqual(value, want[field]) {
			t.Errorf("%s = %v, want %v", field, value, want[field])
		}
	}
}
