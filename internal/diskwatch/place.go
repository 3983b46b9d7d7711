package diskwatch

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
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
	came := was.gone && !is.gone && len(d.files) > 0
	if came { // what was made in it before the watch was put may be gone again
		for path := range d.files {
			w.pending[path] = true
		}
	}
	w.mu.Unlock()
	if came {
		signal(w.wake)
	}
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
		err := w.put(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it went; what is there now may even have its number
		}
		if err != nil {
			is.reason = err.Error()
		}
		if is.id = look(name).id; is.id == before.id {
			return is
		}
	}
	return is
}

// errNone is the answer of a system that gave us no watcher at all.
var errNone = errors.New("the system gives no watches")

// put asks the system to watch a directory.
func (w *Watcher) put(name string) error {
	if w.notify == nil {
		return errNone
	}
	return w.notify.Add(name)
}

// anchor watches the nearest directory above a missing one, and returns it; ""
// when the system does not, or they come and go too fast.
func (w *Watcher) anchor(name string) string {
	missing := name
	for range 256 {
		at := filepath.Dir(missing)
		err := w.put(at)
		switch {
		case err == nil && missing != name && look(missing) != (stamp{}):
			w.release(at)
			missing = name // it came before the watch above it did
		case err == nil:
			return at
		case at == missing, !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
			return ""
		default:
			missing = at
		}
	}
	return ""
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
