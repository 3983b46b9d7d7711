package git

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash"
	"strings"
)

// maxPatchFile bounds the files whose lines are compared, in bytes; of larger
// and binary ones only the names of the blobs count.
const maxPatchFile = 8 << 20

// patch is what a commit changes, without regard to where.
type patch struct {
	id    string         // "" for a merge, and for a commit that changes nothing
	edits map[string]int // lines that it adds and takes away and that hold more than space: sign, path and text
	lines int            // how many
}

// patchOf reads the changes of a commit since its parent. Commits with the
// same id add and take away the same lines, hunk by hunk; what stands around
// the hunks does not count.
func (r *Repo) patchOf(c CommitInfo) (patch, error) {
	p := patch{edits: make(map[string]int)}
	if len(c.Parents) > 1 {
		return p, nil
	}
	var parent Hash
	var err error
	if len(c.Parents) == 1 {
		if parent, err = r.treeOf(c.Parents[0]); err != nil {
			return p, err
		}
	}
	changes, err := r.treeChanges(parent, c.Tree)
	if err != nil || len(changes) == 0 {
		return p, err
	}
	sum := sha256.New()
	for _, change := range changes {
		if err := r.addPatch(&p, sum, change); err != nil {
			return p, err
		}
	}
	p.id = string(sum.Sum(nil))
	return p, nil
}

func (r *Repo) addPatch(p *patch, sum hash.Hash, c treeChange) error {
	fmt.Fprintf(sum, "file %q %s %s\n", c.path, c.from.Mode, c.to.Mode)
	from, ok1, err := r.patchText(c.from)
	if err != nil {
		return err
	}
	to, ok2, err := r.patchText(c.to)
	if err != nil {
		return err
	}
	if !ok1 || !ok2 {
		fmt.Fprintf(sum, "blobs %s %s\n", c.from.Hash, c.to.Hash)
		return nil
	}
	x, y := textLines(from), textLines(to)
	a, b := 0, 0
	for _, run := range append(sameLines(from, to), sameRun{len(x), len(y), 0}) {
		if a == run.a && b == run.b {
			a, b = run.a+run.n, run.b+run.n
			continue
		}
		sum.Write([]byte("hunk\n"))
		for _, line := range x[a:run.a] {
			p.addLine(sum, '-', c.path, line)
		}
		for _, line := range y[b:run.b] {
			p.addLine(sum, '+', c.path, line)
		}
		a, b = run.a+run.n, run.b+run.n
	}
	return nil
}

func (p *patch) addLine(sum hash.Hash, sign byte, path string, line []byte) {
	fmt.Fprintf(sum, "%c%s\n", sign, line)
	if text := strings.TrimSpace(string(line)); text != "" {
		p.edits[string(sign)+path+"\x00"+text]++
		p.lines++
	}
}

// patchText returns false for what is not compared by lines.
func (r *Repo) patchText(e treeEntry) ([]byte, bool, error) {
	if e.Hash == "" {
		return nil, true, nil
	}
	if e.Mode == Submodule {
		return nil, false, nil
	}
	data, err := r.readKind(e.Hash, blobKind)
	if err != nil {
		return nil, false, err
	}
	text := len(data) <= maxPatchFile && bytes.IndexByte(data[:min(len(data), 8000)], 0) < 0
	return data, text, nil
}

func textLines(data []byte) [][]byte {
	var out [][]byte
	for line := range bytes.Lines(data) {
		out = append(out, bytes.TrimSuffix(line, []byte{'\n'}))
	}
	return out
}

// shared counts the lines that both patches add or take away.
func (p patch) shared(q patch) int {
	if len(q.edits) < len(p.edits) {
		p, q = q, p
	}
	n := 0
	for line, k := range p.edits {
		n += min(k, q.edits[line])
	}
	return n
}

// undoneBy reports whether p adds lines, and others take all of them away.
func (p patch) undoneBy(others []patch) bool {
	added := false
	for line, k := range p.edits {
		if line[0] != '+' {
			continue
		}
		added = true
		for _, q := range others {
			k -= q.edits["-"+line[1:]]
		}
		if k > 0 {
			return false
		}
	}
	return added
}
