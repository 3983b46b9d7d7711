package amfile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"kaijutsu"
)

// interopDir holds the npm packages and the scripts that use them.
const interopDir = "../interop"

// needNode skips the test where Node or the npm packages are missing, unless
// KJ_REQUIRE_NODE is set: then they must be there.
func needNode(t testing.TB) {
	_, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat(interopDir + "/node_modules/@automerge/automerge")
	}
	switch {
	case err == nil:
	case os.Getenv("KJ_REQUIRE_NODE") != "":
		t.Fatal(err)
	default:
		t.Skipf("needs Node and `npm ci` in internal/interop: %v", err)
	}
}

// realHistory is one document that JavaScript made.
type realHistory struct {
	name     string
	document []byte
	changes  [][]byte // in the order of getAllChanges
	heads    kaijutsu.Heads
}

// realHistories yields histories of about so many changes together from
// internal/interop/generate.mjs, which makes the same ones for the same seed.
func realHistories(t testing.TB, seed, changes int, kind string, yield func(realHistory)) {
	needNode(t)
	args := []string{"generate.mjs", "--seed", strconv.Itoa(seed), "--changes", strconv.Itoa(changes)}
	if kind != "" {
		args = append(args, "--kind", kind)
	}
	cmd := exec.Command("node", args...)
	cmd.Dir = interopDir
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(out)
	for {
		h, err := readHistory(r)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("reading histories: %v", err)
		}
		yield(h)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("generate.mjs: %v\n%s", err, &complaints)
	}
}

func readHistory(r *bufio.Reader) (h realHistory, err error) {
	if _, err := r.Peek(1); err != nil {
		return h, err
	}
	number := func() int {
		var b [4]byte
		if _, e := io.ReadFull(r, b[:]); e != nil {
			err = fmt.Errorf("cut short: %w", e)
		}
		return int(binary.BigEndian.Uint32(b[:]))
	}
	block := func(size int) []byte {
		b := make([]byte, size)
		if _, e := io.ReadFull(r, b); e != nil {
			err = fmt.Errorf("cut short: %w", e)
		}
		return b
	}
	h.name = string(block(number()))
	h.document = block(number())
	for n := number(); n > 0 && err == nil; n-- {
		h.changes = append(h.changes, block(number()))
	}
	var heads []kaijutsu.ChangeHash
	for n := number(); n > 0 && err == nil; n-- {
		heads = append(heads, kaijutsu.ChangeHash(block(32)))
	}
	h.heads = kaijutsu.NewHeads(heads...)
	block(number())
	return h, err
}

// realChanges is how many changes the tests take from JavaScript: the number
// in KJ_REAL_CHANGES, or few.
func realChanges(t testing.TB, few int) int {
	text := os.Getenv("KJ_REAL_CHANGES")
	if text == "" {
		return few
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestNoRealChangeIsRefused(t *testing.T) {
	total := 0
	realHistories(t, 11, realChanges(t, 2500), "", func(real realHistory) {
		var changes []*Change
		open := map[kaijutsu.ChangeHash]bool{}
		for i, raw := range real.changes {
			c, err := DecodeChange(raw)
			if err != nil {
				t.Errorf("%s: change %d: %v", real.name, i, err)
				return
			}
			wantSameAgain(t, c)
			changes = append(changes, c)
			for _, dep := range c.Deps {
				delete(open, dep)
			}
			open[c.Hash] = true
		}
		if err := newHistory().addAll(changes); err != nil {
			t.Errorf("%s: %v", real.name, err)
		}
		heads := slices.Collect(maps.Keys(open))
		if got := kaijutsu.NewHeads(heads...); !got.Equal(real.heads) {
			t.Errorf("%s: heads %v, want %v", real.name, got, real.heads)
		}
		total += len(real.changes)
	})
	t.Logf("%d real changes", total)
}

// wantSameAgain demands that c survives encoding, with its actors in another
// order, and that its header agrees with it.
func wantSameAgain(t *testing.T, c *Change) {
	t.Helper()
	again := disordered(c)
	if err := EncodeChange(again); err != nil || !bytes.Equal(again.Raw, c.Raw) || again.Hash != c.Hash {
		t.Errorf("EncodeChange: %v, got %x, want %x", err, again.Raw, c.Raw)
	}
	h, err := DecodeHeader(c.Raw)
	want := Header{c.Hash, c.Deps, c.Author(), c.Seq, c.StartOp, uint64(len(c.Ops)), c.Time, c.Message}
	if err != nil || !reflect.DeepEqual(h, want) || h.MaxOp() != c.MaxOp() {
		t.Errorf("DecodeHeader = %+v, %v, want %+v", h, err, want)
	}
}

// disordered returns a deep copy of c without Raw and Hash whose other actors,
// dependencies and predecessors are in reverse order.
func disordered(c *Change) *Change {
	d := *c
	d.Raw, d.Hash = nil, kaijutsu.ChangeHash{}
	n := uint32(len(c.Actors))
	turn := func(id OpID) OpID {
		if id.Actor > 0 {
			id.Actor = n - id.Actor
		}
		return id
	}
	d.Actors = append([]kaijutsu.ActorID{c.Actors[0]}, reversed(c.Actors[1:])...)
	d.Deps = reversed(c.Deps)
	d.Ops = nil
	for _, op := range c.Ops {
		op.Obj, op.Elem = turn(op.Obj), turn(op.Elem)
		op.Pred = reversed(op.Pred)
		for i := range op.Pred {
			op.Pred[i] = turn(op.Pred[i])
		}
		op.Key = strings.Clone(op.Key)
		d.Ops = append(d.Ops, op)
	}
	return &d
}

func reversed[T any](list []T) []T {
	var out []T
	for i := len(list) - 1; i >= 0; i-- {
		out = append(out, list[i])
	}
	return out
}
