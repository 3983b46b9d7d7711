package bench

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"kaijutsu/internal/kjproc"
)

// mounted is one of our servers, alone, with the repository at /mnt/app and the
// files of a commit open.
type mounted struct {
	ourCourier
	dir     string // the worktree
	mounted time.Duration
	texts   [commitFiles]string // as they were last saved
	blocks  [commitFiles]string
}

// openMounted starts a server, mounts the repository and opens the files.
func openMounted(ctx context.Context, opt *ClusterOptions, data, source string) (*mounted, error) {
	p, err := kjproc.Start(ctx, opt.Exe, data, "--log-level", "warn")
	if err != nil {
		return nil, err
	}
	m := &mounted{ourCourier: ourCourier{p: p, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: driftStagers}}}}
	began := time.Now()
	var made struct{ Dir, Context string }
	if err := m.call(ctx, "mount_add", map[string]any{"path": "/mnt/app", "source": "git:" + source + "@ours", "rw": true}, &made); err != nil {
		m.close()
		return nil, err
	}
	m.mounted, m.dir, m.to = time.Since(began), made.Dir, made.Context
	for i := range commitFiles {
		var read struct {
			Block string `json:"block_id"`
		}
		if err := m.call(ctx, "fs_read", map[string]any{"path": m.path(i)}, &read); err != nil {
			m.close()
			return nil, err
		}
		m.blocks[i] = read.Block
	}
	return m, nil
}

func (m *mounted) path(i int) string { return "/mnt/app/" + treeFile(i) }

// commit changes ten blocks and commits them, and returns what the commit took.
func (m *mounted) commit(ctx context.Context, run int) (time.Duration, error) {
	var paths []string
	for i := range commitFiles {
		m.texts[i] = tenText(i, run)
		if err := m.call(ctx, "fs_write", map[string]any{"path": m.path(i), "content": m.texts[i]}, nil); err != nil {
			return 0, err
		}
		paths = append(paths, m.path(i))
	}
	began := time.Now()
	err := m.call(ctx, "git_commit", map[string]any{"mount": "/mnt/app", "paths": paths, "message": fmt.Sprintf("run %d", run)}, nil)
	return time.Since(began), err
}

// timeLine is a line with a time in it.
func timeLine(at time.Time) string {
	return fmt.Sprintf("%c%d%c\n", timeMark, at.UnixNano(), timeMark)
}

// saves saves files on the disk for a while, a line longer each time, and notes
// when who follows the context was told of the line.
func (m *mounted) saves(ctx context.Context, d time.Duration, r *gitResult) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f := &timeFollower{came: make(map[int64]time.Duration)}
	if err := f.follow(ctx, &m.ourCourier); err != nil {
		return err
	}
	var mu sync.Mutex // saves of one file follow each other
	n, late, err := paced(ctx, d, func(i int, at time.Time) error {
		mu.Lock()
		defer mu.Unlock()
		k := i % commitFiles
		m.texts[k] += timeLine(at)
		name := filepath.Join(m.dir, treeFile(k))
		if err := os.WriteFile(name+"~", []byte(m.texts[k]), 0o644); err != nil {
			return err
		}
		return os.Rename(name+"~", name)
	})
	if err != nil {
		return err
	}
	took, err := f.await(ctx, n)
	r.toBlock, r.lateSave, r.saves = append(r.toBlock, took...), append(r.lateSave, late...), r.saves+n
	return err
}

// edits writes to blocks for a while, and notes when the disk had each line.
func (m *mounted) edits(ctx context.Context, d time.Duration, r *gitResult) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f := &diskFollower{since: time.Now().UnixNano(), came: make(map[int64]time.Duration)}
	var reading sync.WaitGroup
	reading.Go(func() { f.follow(ctx, m.dir) })
	n, late, err := paced(ctx, d, func(i int, at time.Time) error {
		k := i % commitFiles
		return m.call(ctx, "block_splice", map[string]any{"context": m.to, "block_id": m.blocks[k], "offset": 0, "delete_count": 0, "insert": timeLine(at)}, nil)
	})
	if err == nil {
		err = f.await(ctx, n)
	}
	cancel()
	reading.Wait()
	for _, took := range f.came {
		r.toDisk = append(r.toDisk, took)
	}
	r.lateEdit, r.edits = append(r.lateEdit, late...), r.edits+n
	return err
}

// diskFollower looks at files and notes the times in them.
type diskFollower struct {
	since int64 // times before are of other lines
	mu    sync.Mutex
	came  map[int64]time.Duration // guarded by mu: by the time that was written
}

// follow looks at the files of a commit every millisecond until ctx ends.
func (f *diskFollower) follow(ctx context.Context, dir string) {
	var seen [commitFiles]os.FileInfo
	for pause(ctx, time.Millisecond) == nil {
		for i := range seen {
			name := filepath.Join(dir, treeFile(i))
			info, err := os.Stat(name)
			if err != nil || seen[i] != nil && os.SameFile(seen[i], info) && seen[i].ModTime().Equal(info.ModTime()) && seen[i].Size() == info.Size() {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				continue // it is being exchanged
			}
			seen[i] = info
			f.note(string(text), time.Now())
		}
	}
}

func (f *diskFollower) note(text string, at time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for line := range strings.Lines(text) {
		findTimes(line, func(written int64) {
			if _, known := f.came[written]; !known && written >= f.since {
				f.came[written] = at.Sub(time.Unix(0, written))
			}
		})
	}
}

// await waits until so many have come, or for as long as one may be late.
func (f *diskFollower) await(ctx context.Context, n int) error {
	for end := time.Now().Add(lateness); time.Now().Before(end); {
		f.mu.Lock()
		have := len(f.came)
		f.mu.Unlock()
		if have >= n {
			break
		}
		if err := pause(ctx, time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}
