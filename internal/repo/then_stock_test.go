package repo_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
)

// stockHistories returns the changes of contexts that the npm package made at
// random, as a file has them: overwritten elements, blocks made twice, replaced
// pages and other things that this package's own edits never do.
func stockHistories(t *testing.T, seed, count, steps int) [][]byte {
	t.Helper()
	dir, err := filepath.Abs("../interop")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = exec.LookPath("node"); err == nil {
		_, err = os.Stat(filepath.Join(dir, "node_modules", "@automerge"))
	}
	if err != nil {
		if os.Getenv("KJ_REQUIRE_NODE") != "" {
			t.Fatalf("node with the packages of %s is required: %v", dir, err)
		}
		t.Skipf("needs node and the packages of %s: %v", dir, err)
	}
	testdata := filepath.Join(dir, "../../blocks/testdata")
	script, err := os.ReadFile(filepath.Join(testdata, "histories.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	options := fmt.Sprintf(`{"seed":%d,"count":%d,"steps":%d,"genesis":%q,"view":%q}`, seed, count, steps,
		base64.StdEncoding.EncodeToString(blocks.Genesis().Raw), filepath.Join(testdata, "view.mjs"))
	cmd := exec.CommandContext(t.Context(), "node", "--input-type=module", "-")
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(script) // a module from standard input finds packages from where node runs
	cmd.Env = append(os.Environ(), "HISTORIES="+options)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v\n%s", err, stderr.Bytes())
	}
	var files [][]byte
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, len(out)+1)
	for lines.Scan() {
		var h struct{ Changes [][]byte }
		if err := json.Unmarshal(lines.Bytes(), &h); err != nil {
			t.Fatal(err)
		}
		files = append(files, bytes.Join(h.Changes, nil))
	}
	return files
}

// pastOf is a past found by asking of every change whether it is in it.
type pastOf map[kaijutsu.ActorID]uint64

func (p pastOf) UpTo(actor kaijutsu.ActorID) uint64 { return p[actor] }

// thenCounts is how many answers were compared, and how many of them the read
// model of now could not give.
type thenCounts struct{ all, notExact, stale int }

// compare holds the answers about all blocks since some heads against those of a
// model that is made of the changes behind them.
func (n *thenCounts) compare(t *testing.T, v repo.View, rng *rand.Rand, heads kaijutsu.Heads) error {
	t.Helper()
	then, err := v.At(heads)
	if err != nil {
		return err
	}
	past, err := v.Past(heads)
	if err != nil {
		return err
	}
	upTo := make(pastOf)
	for i := range v.Log().Len() {
		if c, err := v.Log().Change(i); err != nil {
			return err
		} else if past.Has(c.Hash) {
			upTo[c.Author()] = max(upTo[c.Author()], c.MaxOp())
		}
	}
	ids := make(map[blocks.ID]bool)
	for _, m := range []*blocks.Model{then, v.Model()} {
		for s := range m.Everything() {
			ids[s.ID] = true
		}
	}
	for id := range ids {
		n.all++
		if _, exact, err := v.Model().ContentAt(id, upTo, v.Log()); err == nil && !exact {
			n.notExact++
		}
		want, was := then.Then(id)
		got, err := v.ContentAt(id, heads)
		if (err == nil) != was || was && got.Then != want {
			t.Errorf("ContentAt(%s, %v) = %+v, %v\nwant %+v, %v", id, heads, got, err, want, was)
		}
		first, last := 0, 0
		if rng.Intn(2) == 0 {
			first = 1 + rng.Intn(3)
			last = first + rng.Intn(2)
		}
		fate, err := v.Fate(id, heads, first, last)
		wantFate, wantErr := v.Model().FateSince(then, id, first, last)
		if (err == nil) != (wantErr == nil) || fate != wantFate {
			t.Errorf("Fate(%s, %v, %d, %d) = %+v, %v\nwant %+v, %v", id, heads, first, last, fate, err, wantFate, wantErr)
		}
		if fate.Stale {
			n.stale++
		}
	}
	return nil
}

// TestThenOfStockHistories: what stock clients do, such as overwriting elements,
// is not all kept by the model; the answers are those of a replay all the same.
func TestThenOfStockHistories(t *testing.T) {
	h := open(t, t.TempDir(), nil)
	rng := rand.New(rand.NewSource(1))
	var n thenCounts
	imported := 0
	for _, size := range []struct{ count, steps int }{{24, 12}, {8, 60}} {
		for _, file := range stockHistories(t, 1, size.count, size.steps) {
			cid, err := h.repo.ImportDocument(t.Context(), amy, file)
			if err != nil {
				continue // it is no context any more
			}
			imported++
			err = h.repo.View(t.Context(), cid.Document(), func(v repo.View) error {
				for range 12 {
					heads := v.HeadsOf(1 + rng.Intn(int(v.Version())))
					if rng.Intn(3) == 0 { // one branch alone
						heads = kaijutsu.NewHeads(v.Log().Hash(rng.Intn(v.Log().Len())))
					}
					if err := n.compare(t, v, rng, heads); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d histories, %+v", imported, n)
	if imported < 20 || n.notExact < 50 || n.stale < 50 || n.all-n.notExact < 100 {
		t.Errorf("%d histories, %+v: too few of a kind to tell", imported, n)
	}
}
