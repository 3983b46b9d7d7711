package amfile

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// crashers reads the files of testdata/crashers whose names begin with one of
// the prefixes. Each of them aborted, hung or poisoned a released engine:
// changes_ and inc_ hold change chunks, load_ document chunks, msg_ and recv_
// sync messages.
func crashers(t testing.TB, prefixes ...string) map[string][]byte {
	found := map[string][]byte{}
	for _, prefix := range prefixes {
		files, err := filepath.Glob("testdata/crashers/" + prefix + "*")
		if err != nil || len(files) == 0 {
			t.Fatalf("no crashers %s*: %v", prefix, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			found[filepath.Base(file)] = data
		}
	}
	return found
}

// acceptFile does what a server does with a file of changes.
func acceptFile(h *history, data []byte) error {
	chunks, err := SplitChunks(data)
	if err != nil {
		return err
	}
	for _, chunk := range chunks {
		if err := accept(h, chunk.Raw); err != nil {
			return err
		}
	}
	return nil
}

func TestCrashersAreRefused(t *testing.T) {
	for name, data := range crashers(t, "changes_", "inc_") {
		t.Run(name, func(t *testing.T) {
			if err := acceptFile(newHistory(), data); err == nil {
				t.Error("accepted, want an error")
			} else {
				t.Log(err)
			}
		})
	}
	for name, data := range crashers(t, "msg_", "recv_") {
		t.Run(name, func(t *testing.T) {
			if m, err := DecodeSync(data); err == nil {
				t.Errorf("accepted as %+v, want an error", m)
			} else {
				t.Log(err)
			}
		})
	}
}

func TestRunLengthBombsCostNothing(t *testing.T) {
	for name, data := range crashers(t, "inc_rlebomb") {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := DecodeChange(data)
			runtime.ReadMemStats(&after)
			if err == nil {
				t.Error("accepted, want an error")
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 100<<10 {
				t.Errorf("%d bytes of input took %d bytes of memory", len(data), took)
			}
		})
	}
}
