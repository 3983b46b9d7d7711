package wire

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"
)

const interopDir = "../interop"

// needNode skips a test when there is no Node to run it, or fails it when
// KJ_REQUIRE_NODE is set.
func needNode(t *testing.T) {
	t.Helper()
	_, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat(interopDir + "/node_modules")
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.New("internal/interop/node_modules is missing: run npm ci in internal/interop")
		}
	}
	if err == nil {
		return
	}
	if os.Getenv("KJ_REQUIRE_NODE") != "" {
		t.Fatalf("Node is required: %v", err)
	}
	t.Skipf("needs Node: %v", err)
}

// TestJavaScriptReadsOurFrames has the decoder of the npm clients read what
// Encode writes: plain numbers, plain byte arrays, the fields' own names.
func TestJavaScriptReadsOurFrames(t *testing.T) {
	needNode(t)
	var messages []Message
	var input bytes.Buffer
	add := func(m Message) {
		messages = append(messages, m)
		input.WriteString(hex.EncodeToString(Encode(m)) + "\n")
	}
	for _, frame := range goldenFrames(t) {
		m, err := Decode(frame)
		if err != nil {
			t.Fatal(err)
		}
		if _, unknown := m.(Unknown); !unknown {
			add(m)
		}
	}
	add(Sync{"ünï 😀", "t", "d", bytes.Repeat([]byte{7}, 70_000)})
	add(Ephemeral{"s", "t", "d", "x", 1<<32 - 1, []byte{1}})
	add(Ephemeral{"s", "t", "d", "x", 1 << 53, []byte{1}})

	cmd := exec.Command("node", "readframes.mjs")
	cmd.Dir, cmd.Stdin, cmd.Stderr = interopDir, &input, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(messages) {
		t.Fatalf("node read %d frames, want %d", len(lines), len(messages))
	}
	for i, line := range lines {
		if strings.Contains(line, `"bigint"`) {
			t.Errorf("a number became a BigInt: %s", line)
		}
		var j jsonMessage
		if err := json.Unmarshal([]byte(line), &j); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if got, want := j.message(t), messages[i]; !reflect.DeepEqual(got, want) {
			t.Errorf("JavaScript reads %#v\nwant %#v", got, want)
		}
	}
}
