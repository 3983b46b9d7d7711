// Package kjtest runs whole servers inside tests: the real binary as a child
// process, built once per test run, on a data directory of the test's own.
//
// Everything it starts ends with the test. It stores nothing outside
// temporary directories.
package kjtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/kjproc"
)

var build = sync.OnceValues(func() (string, error) {
	if exe := os.Getenv("KJ_BINARY"); exe != "" {
		return exe, nil
	}
	dir, err := os.MkdirTemp("", "kjtest-")
	if err != nil {
		return "", err
	}
	exe := filepath.Join(dir, "kj")
	out, err := exec.Command("go", "build", "-o", exe, "kaijutsu/cmd/kj").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build kj: %w\n%s", err, out)
	}
	return exe, nil
})

// Binary returns the path of the kj binary: $KJ_BINARY, or one built from this
// checkout.
func Binary(t testing.TB) string {
	t.Helper()
	exe, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// Serve runs kj serve on a data directory until the test ends.
func Serve(t testing.TB, dir string, args ...string) *kjproc.Process {
	t.Helper()
	p, err := kjproc.Start(t.Context(), Binary(t), dir, args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

// Call runs an operation on a server over HTTP.
func Call(t testing.TB, p *kjproc.Process, op string, in, out any) {
	t.Helper()
	params, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(p.URL+"/v1/ops/"+op, "application/json", bytes.NewReader(params))
	if err != nil {
		t.Fatal(err)
	}
	body := read(t, op, resp)
	if err := json.Unmarshal(body, out); err != nil {
		t.Fatalf("%s: %v in %s", op, err, body)
	}
}

// Export returns the changes that a server holds of a document.
func Export(t testing.TB, p *kjproc.Process, id kaijutsu.DocumentID) []*amfile.Change {
	t.Helper()
	resp, err := http.Get(p.URL + "/v1/contexts/" + id.String() + "/export")
	if err != nil {
		t.Fatal(err)
	}
	changes, err := amfile.DecodeDocument(read(t, "export", resp))
	if err != nil {
		t.Fatalf("export %s: %v", id, err)
	}
	return changes
}

func read(t testing.TB, what string, resp *http.Response) []byte {
	t.Helper()
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s: %s", what, resp.Status, body)
	}
	return body
}
