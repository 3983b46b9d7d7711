package diskwatch

import (
	"maps"
	"math"
	"slices"
	"time"
)

// run rescans, puts watches where they were lost, and hands out names.
func (w *Watcher) run() {
	defer close(w.events)
	ticks := time.NewTicker(w.every)
	defer ticks.Stop()
	var batch []string // what is being handed out; unsent names are in it once
	var due <-chan time.Time
	for {
		var out chan []string
		if len(batch) > 0 {
			out = w.events
		}
		select {
		case <-w.done:
			return
		case <-ticks.C:
			w.rescan(atOnce)
		case <-w.poke:
			w.rescan(math.MaxInt)
		case <-w.wake:
			w.rewatch()
			if due == nil {
				due = time.After(coalesce)
			}
		case <-due:
			due = nil
			batch = w.collect(batch)
		case out <- batch:
			batch = nil
		}
	}
}

// collect adds the marked names to a batch that nobody has taken yet. It looks
// at the files first: what changes after that is found even when the system
// does not say so.
func (w *Watcher) collect(batch []string) []string {
	w.mu.Lock()
	marked := w.pending
	w.pending = map[string]bool{}
	w.mu.Unlock()
	for path := range marked {
		st := look(path)
		w.mu.Lock()
		if f := w.files[path]; f != nil {
			f.stamp = st
		}
		w.mu.Unlock()
	}
	kept := batch[:0]
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, path := range batch {
		if w.files[path] != nil && !marked[path] {
			kept = append(kept, path)
		}
	}
	for path := range marked {
		if w.files[path] != nil {
			kept = append(kept, path)
		}
	}
	return kept
}

// rewatch puts the watches on directories that were removed, replaced or made,
// and looks at their files: what happened in them meanwhile nobody said.
func (w *Watcher) rewatch() {
	w.place.Lock()
	defer w.place.Unlock()
	w.mu.Lock()
	lost := w.lost
	w.lost = map[string]bool{}
	w.mu.Unlock()
	for name := range lost {
		w.watch(name)
		w.compare(w.filesOf(name))
	}
}

// atOnce is how many files of directories that the system watches are looked at
// in one rescan. Of more, the next ones look at the rest.
const atOnce = 2000

// rescan looks at every directory and at the files of those that the system
// does not watch, and at up to limit others, and marks what differs.
func (w *Watcher) rescan(limit int) {
	w.place.Lock()
	defer w.place.Unlock()
	w.mu.Lock()
	dirs := make(map[string]dir, len(w.dirs))
	for name, d := range w.dirs {
		dirs[name] = *d
	}
	w.mu.Unlock()
	for name, d := range dirs {
		if w.stale(name, d) {
			w.watch(name)
			w.compareAndCount(w.filesOf(name))
		}
	}
	w.compareAndCount(w.turn(limit))
	w.mu.Lock()
	w.stats.Rescans++
	w.stats.Rescan = w.now().UTC()
	w.mu.Unlock()
}

// turn returns the files whose turn it is. Every file has its turn before any
// has it again.
func (w *Watcher) turn(limit int) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) == 0 || limit > len(w.files) {
		w.queue = slices.Collect(maps.Keys(w.files))
	}
	n := min(limit, len(w.queue))
	files := w.queue[:n:n]
	w.queue = w.queue[n:]
	for _, d := range w.dirs {
		if d.polled() {
			files = slices.AppendSeq(files, maps.Keys(d.files))
		}
	}
	return files
}

// compareAndCount is compare for Stats.Found.
func (w *Watcher) compareAndCount(files []string) {
	found := w.compare(files)
	w.mu.Lock()
	w.stats.Found += found
	w.mu.Unlock()
}

// stale reports whether a directory is not the one that is watched, or should
// be watched by now.
func (w *Watcher) stale(name string, d dir) bool {
	if w.notify == nil {
		return false
	}
	now := look(name)
	if !now.mode.IsDir() {
		return !d.gone || d.anchor == ""
	}
	return d.gone || d.id != now.id || d.reason != ""
}

func (w *Watcher) filesOf(name string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if d := w.dirs[name]; d != nil {
		return slices.Collect(maps.Keys(d.files))
	}
	return nil
}

// compare looks at files and marks those that differ. It returns how many
// nobody had marked.
func (w *Watcher) compare(files []string) (found int) {
	for _, path := range files {
		st := look(path)
		w.mu.Lock()
		if f := w.files[path]; f != nil && f.stamp != st {
			f.stamp = st
			if !w.pending[path] {
				w.pending[path] = true
				found++
			}
		}
		w.mu.Unlock()
	}
	if found > 0 {
		signal(w.wake)
	}
	return found
}
