package diskwatch

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/fsnotify/fsnotify"
)

// listen takes what the system says. It only marks: it never waits for whoever
// puts watches on directories, who may wait for it inside fsnotify.
func (w *Watcher) listen() {
	for {
		select {
		case e, ok := <-w.notify.Events:
			if !ok {
				return
			}
			w.heard(e)
		case err, ok := <-w.notify.Errors:
			if !ok {
				return
			}
			w.trouble(err)
		}
	}
}

func (w *Watcher) heard(e fsnotify.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	marked := false
	if w.files[e.Name] != nil {
		marked = !w.pending[e.Name]
		w.pending[e.Name] = true
	}
	if d := w.dirs[e.Name]; d != nil && e.Has(fsnotify.Remove|fsnotify.Rename|fsnotify.Create) {
		w.lost[e.Name], marked = true, true
	}
	if w.above[e.Name] > 0 && e.Has(fsnotify.Create|fsnotify.Remove|fsnotify.Rename) {
		for name := range w.dirs {
			if strings.HasPrefix(name, e.Name+string(filepath.Separator)) {
				w.lost[name], marked = true, true
			}
		}
	}
	if marked {
		signal(w.wake)
	}
}

// trouble takes an error of the system for what it may be: that it lost what
// changed.
func (w *Watcher) trouble(err error) {
	w.mu.Lock()
	if errors.Is(err, fsnotify.ErrEventOverflow) {
		w.stats.Overflows++
	}
	for path := range w.files {
		w.pending[path] = true
	}
	for name := range w.dirs {
		w.lost[name] = true
	}
	w.mu.Unlock()
	signal(w.wake)
	w.log.Debug("the system lost count of what changed", "err", err)
}
