package amfile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
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
	// description is what JavaScript shows of the saved document, as JSON:
	// describe in internal/interop/plain.mjs.
	description []byte
}

// The corpus is made once for all tests, by one process for each seed.
var (
	corpusSeeds  = []int{11, 12}
	corpusShare  = 5_000  // changes for each seed
	fullShare    = 50_000 // the same with KJ_FULL=1
	corpusOnce   sync.Once
	corpusShared []realHistory
)

// eachReal yields the histories of the corpus: some 10,000 changes, with
// KJ_FULL=1 more than 100,000.
func eachReal(t testing.TB, yield func(realHistory)) {
	needNode(t)
	corpusOnce.Do(func() {
		share := corpusShare
		if os.Getenv("KJ_FULL") != "" {
			share = fullShare
		}
		generateAll(t, share, func(h realHistory) { corpusShared = append(corpusShared, h) })
	})
	if len(corpusShared) == 0 {
		t.Fatal("no corpus: making it failed in an earlier test")
	}
	for _, h := range corpusShared {
		yield(h)
	}
}

func generateAll(t testing.TB, share int, yield func(realHistory)) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	failures := make([]error, len(corpusSeeds))
	for i, seed := range corpusSeeds {
		wg.Go(func() {
			failures[i] = generate(seed, share, "", func(h realHistory) {
				mu.Lock()
				defer mu.Unlock()
				yield(h)
			})
		})
	}
	wg.Wait()
	if err := errors.Join(failures...); err != nil {
		t.Fatal(err)
	}
}

// realHistories yields histories of one kind, or of all, that the corpus does
// not have: about so many changes together.
func realHistories(t testing.TB, seed, changes int, kind string, yield func(realHistory)) {
	needNode(t)
	if err := generate(seed, changes, kind, yield); err != nil {
		t.Fatal(err)
	}
}

// generate runs internal/interop/generate.mjs, which makes the same histories
// for the same seed.
func generate(seed, changes int, kind string, yield func(realHistory)) error {
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
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	r := bufio.NewReader(out)
	for {
		h, err := readHistory(r)
		if err == io.EOF {
			break
		}
		if err != nil {
			cmd.Process.Kill()
			cmd.Wait()
			return fmt.Errorf("read histories: %w\n%s", err, &complaints)
		}
		yield(h)
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("generate.mjs: %w\n%s", err, &complaints)
	}
	return nil
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
	h.description = block(number())
	return h, err
}

// share is how many changes a test takes from JavaScript: few, ten times as
// many with KJ_FULL=1.
func share(few int) int {
	if os.Getenv("KJ_FULL") != "" {
		return 10 * few
	}
	return few
}
