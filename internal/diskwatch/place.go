package diskwatch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// watch puts the system's watch on a directory, or where it is missing on the
// nearest one above it that is there. place is held.
func (w *Watcher) watch(name string) {
	w.mu.Lock()
	d := w.dirs[name]
	if d == nil {
		w.mu.Unlock()
		return
	}
	was := *d
	w.mu.Unlock()
	is := w.settle(name, was)
	w.mu.Lock()
	d.id, d.gone, d.reason, d.anchor = is.id, is.gone, is.reason, is.anchor
	w.mu.Unlock()
	if was.anchor != is.anchor {
		w.release(was.anchor)
	}
	if is.reason != "" && is.reason != was.reason && w.notify != nil {
		w.log.Warn("a directory is watched by looking at it again and again", "dir", name, "every", w.every, "err", is.reason)
	}
}

// settle puts the watch, again when the directory came, went or was replaced
// meanwhile; when that goes on, the next rescan goes on with it.
func (w *Watcher) settle(name string, was dir) (is dir) {
	for range 8 {
		before := look(name)
		is = dir{gone: !before.mode.IsDir()}
		if is.gone {
			is.anchor = w.anchor(name)
			if !look(name).mode.IsDir() {
				return is
			}
			continue
		}
		if was.id != (identity{}) && was.id != before.id && w.notify != nil {
			_ = w.notify.Remove(name) // the watch is on a directory that is elsewhere now
		}
		is.reason = w.put(name)
		if is.id = look(name).id; is.id == before.id {
			return is
		}
	}
	return is
}

// put asks the system to watch a directory, and returns why it does not.
func (w *Watcher) put(name string) string {
	if w.notify == nil {
		return w.stats.Degraded // set once, by Open
	}
	err := w.notify.Add(name)
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist):
		return ""
	}
	return err.Error()
}

// anchor watches the nearest directory above a missing one, and returns it; ""
// when the system does not.
func (w *Watcher) anchor(name string) string {
	for at := filepath.Dir(name); ; at = filepath.Dir(at) {
		if info, err := os.Stat(at); err == nil && info.IsDir() {
			if w.put(at) == "" {
				return at
			}
			return ""
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

// release takes the watch off a directory that nobody needs any more. place is
// held.
func (w *Watcher) release(name string) {
	if name == "" || w.notify == nil {
		return
	}
	w.mu.Lock()
	needed := w.dirs[name] != nil
	for _, d := range w.dirs {
		needed = needed || d.anchor == name
	}
	w.mu.Unlock()
	if !needed {
		_ = w.notify.Remove(name) // the system may have done so itself
	}
}
