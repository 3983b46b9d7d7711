package diskwatch

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"kaijutsu"
	"kaijutsu/internal/guard"
)

const (
	// every is the time between rescans where the Config says none.
	every = time.Second
	// coalesce is how long the first changed name waits for others.
	coalesce = 10 * time.Millisecond
)

// Config is what a Watcher needs. The zero value works.
type Config struct {
	// Log gets what somebody should know, such as that the system has no watch
	// left. nil: slog.Default.
	Log *slog.Logger
	// Every is the time between rescans; 1 s where it is 0. Each looks at all
	// directories, all files of those that the system does not watch, and
	// 2,000 others at most.
	Every time.Duration
	// Now is the clock of Stats; nil: time.Now.
	Now func() time.Time
}

// Watcher watches files. It is safe for concurrent use.
type Watcher struct {
	log    *slog.Logger
	every  time.Duration
	now    func() time.Time
	notify *fsnotify.Watcher // nil: the system gave none

	events chan []string
	wake   chan struct{} // there is something in pending or lost
	poke   chan struct{}
	done   chan struct{}
	wg     sync.WaitGroup
	closed sync.Once

	place sync.Mutex // serialises calls that put watches on directories; taken before mu

	mu      sync.Mutex
	files   map[string]*file
	dirs    map[string]*dir
	above   map[string]int  // for each directory, how many of dirs are below it
	pending map[string]bool // marked, not yet handed out
	lost    map[string]bool // directories whose watch has to be put anew
	queue   []string        // files whose turn to be looked at is still to come
	stats   Stats
}

// file is a watched file.
type file struct {
	dir   string
	stamp stamp // as it was last looked at
}

// dir is a directory that watched files are in.
type dir struct {
	files  map[string]bool
	id     identity // of the directory that is watched; zero: none is
	anchor string   // the directory above that is watched because this one is missing
	gone   bool     // it is missing
	reason string   // why the system does not watch it though it is there
}

// polled reports whether only a rescan finds what changes in a directory.
func (d *dir) polled() bool { return d.reason != "" || d.gone && d.anchor == "" }

// Open starts a watcher without files. When the system has no watches to give
// it rescans only, and Stats says so. It must be closed.
func Open(c Config) (*Watcher, error) {
	w := &Watcher{
		log: c.Log, every: c.Every, now: c.Now,
		events: make(chan []string), wake: make(chan struct{}, 1), poke: make(chan struct{}, 1), done: make(chan struct{}),
		files: map[string]*file{}, dirs: map[string]*dir{}, above: map[string]int{}, pending: map[string]bool{}, lost: map[string]bool{},
	}
	if w.log == nil {
		w.log = slog.Default()
	}
	if w.every <= 0 {
		w.every = every
	}
	if w.now == nil {
		w.now = time.Now
	}
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		w.log.Warn("files are watched by looking at them again and again", "every", w.every, "err", err)
		w.stats.Degraded = err.Error()
	} else {
		w.notify = notify
		w.wg.Go(guard.Func(w.log, "listener to the disk", w.listen))
	}
	w.wg.Go(guard.Func(w.log, "watcher of the disk", w.run))
	return w, nil
}

// Close ends the watcher; Events is closed.
func (w *Watcher) Close() error {
	var err error
	w.closed.Do(func() {
		close(w.done)
		if w.notify != nil {
			err = w.notify.Close()
		}
	})
	w.wg.Wait()
	return err
}

// Events returns the channel of changed files: absolute, each once, in no
// order. A reader that is slow gets more at once. It is closed by Close.
func (w *Watcher) Events() <-chan []string { return w.events }

// Poke rescans now, in the background.
func (w *Watcher) Poke() { signal(w.poke) }

// Add watches a file, which may be missing. The path is absolute, and its
// directories are no links. Read the file after Add has returned: what changes
// from then on is reported.
func (w *Watcher) Add(path string) error {
	if !filepath.IsAbs(path) || filepath.Clean(path) != path || filepath.Dir(path) == path {
		return fmt.Errorf("watch %q: want the absolute, clean path of a file: %w", path, kaijutsu.ErrInvalid)
	}
	w.place.Lock()
	defer w.place.Unlock()
	w.mu.Lock()
	if w.files[path] != nil {
		w.mu.Unlock()
		return nil
	}
	name := filepath.Dir(path)
	d := w.dirs[name]
	fresh := d == nil
	if fresh {
		d = &dir{files: map[string]bool{}}
		w.dirs[name] = d
		w.countLocked(name, 1)
	}
	f := &file{dir: name}
	d.files[path] = true
	w.files[path] = f
	w.mu.Unlock()
	if fresh {
		w.watch(name)
	}
	st := look(path)
	w.mu.Lock()
	f.stamp = st
	w.mu.Unlock()
	return nil
}

// Remove ends watching a file.
func (w *Watcher) Remove(path string) {
	w.place.Lock()
	defer w.place.Unlock()
	w.mu.Lock()
	f := w.files[path]
	if f == nil {
		w.mu.Unlock()
		return
	}
	delete(w.files, path)
	delete(w.pending, path)
	d := w.dirs[f.dir]
	delete(d.files, path)
	last := len(d.files) == 0
	if last {
		delete(w.dirs, f.dir)
		w.countLocked(f.dir, -1)
		delete(w.lost, f.dir)
	}
	w.mu.Unlock()
	if last {
		w.release(f.dir)
		w.release(d.anchor)
	}
}

// countLocked adds n to the count of each directory above one.
func (w *Watcher) countLocked(name string, n int) {
	for at := filepath.Dir(name); at != name; name, at = at, filepath.Dir(at) {
		if w.above[at] += n; w.above[at] == 0 {
			delete(w.above, at)
		}
	}
}

// Stats is what a watcher is doing.
type Stats struct {
	Files int // watched
	Dirs  int // that they are in
	// Polled counts the directories that the system does not watch: what
	// changes there is found by rescanning.
	Polled int
	// Degraded says why directories that are there are polled; "" when none is.
	Degraded string
	// Overflows counts how often the system lost count of what changed.
	Overflows int
	// Found counts the changes that only a rescan found.
	Found   int
	Rescans int
	Rescan  time.Time // the end of the last one; UTC
}

// Stats returns what the watcher is doing.
func (w *Watcher) Stats() Stats {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.stats
	s.Files, s.Dirs = len(w.files), len(w.dirs)
	for _, d := range w.dirs {
		if d.polled() {
			s.Polled++
		}
		if d.reason != "" {
			s.Degraded = d.reason
		}
	}
	return s
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // it is on its way
	}
}
