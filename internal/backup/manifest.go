package backup

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"kaijutsu"
)

// Manifest says what a run is and which files it needs.
type Manifest struct {
	Format int `json:"format"`
	Run    int `json:"run"`
	// Previous is the run that this one adds to; 0 when it needs no other.
	Previous int `json:"previous,omitempty"`

	Storage    string    `json:"storage_id"`
	Kernel     string    `json:"kernel"`
	Version    string    `json:"version"` // of the server
	At         time.Time `json:"at"`
	Counter    uint64    `json:"commits"`
	NextOutbox uint64    `json:"next_outbox"`

	Documents int    `json:"documents"`
	Changes   uint64 `json:"changes"`
	Records   int    `json:"records"`
	Deleted   int    `json:"deleted"`
	// Taken says how many documents are new or longer than in the run before.
	Taken int `json:"taken"`
	// Stale is how many documents could not be read, of which the first few are
	// named with the reason.
	Stale    int               `json:"unreadable,omitempty"`
	Reasons  map[string]string `json:"reasons,omitempty"`
	Unlisted string            `json:"unlisted,omitempty"`

	Index File   `json:"index"`
	Parts []File `json:"parts"`
}

const (
	// manifestName is the file that makes a directory a run.
	manifestName = "manifest.json"
	// prunedName is what it is called in a run that is being deleted.
	prunedName = "pruned.json"
	indexName  = "index.zst"
)

// manifestHead begins a manifest; the SHA-256 of what follows the line is behind
// it.
const manifestHead = "// kaijutsu backup, sha256 of what follows: "

func (m *Manifest) encode() ([]byte, error) {
	body, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	body = append(body, '\n')
	digest := sum(body)
	return append([]byte(manifestHead+hex.EncodeToString(digest[:])+"\n"), body...), nil
}

// decodeManifest reads a manifest. The error wraps kaijutsu.ErrInvalid when it is
// damaged, or from a newer release.
func decodeManifest(b []byte) (*Manifest, error) {
	line, body, _ := bytes.Cut(b, []byte("\n"))
	want, ok := strings.CutPrefix(string(line), manifestHead)
	if got := sum(body); !ok || hex.EncodeToString(got[:]) != want {
		return nil, fmt.Errorf("the manifest is damaged: %w", kaijutsu.ErrInvalid)
	}
	var m Manifest
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, fmt.Errorf("the manifest: %v: %w", err, kaijutsu.ErrInvalid)
	}
	if err := checkFormat(m.Format); err != nil {
		return nil, fmt.Errorf("the manifest: %w", err)
	}
	for _, f := range m.files() {
		if err := checkName(f.Name); err != nil {
			return nil, fmt.Errorf("the manifest: %w", err)
		}
	}
	return &m, nil
}

// files returns every file that the run needs.
func (m *Manifest) files() []File { return append([]File{m.Index}, m.Parts...) }

// Bytes returns how large all of these are.
func (m *Manifest) Bytes() (n int64) {
	for _, f := range m.files() {
		n += f.Bytes
	}
	return n
}

// checkName refuses names of files that are not in the directory of a run.
func checkName(name string) error {
	dir, file, ok := strings.Cut(name, "/")
	if _, isRun := runOf(dir); !ok || !isRun || file == "" || strings.ContainsAny(file, `/\`) || strings.HasPrefix(file, ".") {
		return fmt.Errorf("file name %q: %w", name, kaijutsu.ErrInvalid)
	}
	return nil
}

const runPrefix = "run-"

func runName(n int) string { return fmt.Sprintf("%s%06d", runPrefix, n) }

// runOf returns the number of the run whose directory has this name.
func runOf(name string) (int, bool) {
	digits, ok := strings.CutPrefix(name, runPrefix)
	var n int
	if _, err := fmt.Sscanf(digits, "%d", &n); !ok || err != nil || n <= 0 || runName(n) != name {
		return 0, false
	}
	return n, true
}
