package vfs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kaijutsu"
)

// other is a program that keeps lines in a file and never looks at ours.
type other struct {
	t     *testing.T
	path  string
	lines []string
}

func (o *other) text() []byte { return []byte(strings.Join(o.lines, "")) }

// byRename saves as editors do.
func (o *other) byRename() {
	temp := o.path + ".swp"
	if err := os.WriteFile(temp, o.text(), 0o644); err != nil {
		o.t.Error(err)
	}
	if err := os.Rename(temp, o.path); err != nil {
		o.t.Error(err)
	}
}

// inPlace truncates the file and writes it.
func (o *other) inPlace() {
	if err := os.WriteFile(o.path, o.text(), 0o644); err != nil {
		o.t.Error(err)
	}
}

// appends writes the last line behind what is there.
func (o *other) appends() {
	f, err := os.OpenFile(o.path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		o.t.Error(err)
		return
	}
	if _, err := f.WriteString(o.lines[len(o.lines)-1]); err != nil {
		o.t.Error(err)
	}
	f.Close()
}

// TestReplaceLosesNothing runs rounds in which another program writes one more
// line of its own, each time in another way, while we put ours behind what is
// there. At the end of each round the other's lines must all be in the file, or
// in the error that hands them out.
func TestReplaceLosesNothing(t *testing.T) {
	dir := t.TempDir()
	f := openFolder(t, dir)
	if err := f.SetScratch(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	o := &other{t: t, path: filepath.Join(dir, "f")}
	if err := os.WriteFile(o.path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var won, lost, displaced int
	end := time.Now().Add(3 * time.Second)
	for round := 0; time.Now().Before(end); round++ {
		o.lines = append(o.lines, fmt.Sprintf("other %d\n", round))
		if len(o.lines) > 20 { // begin anew, with nobody else there
			o.lines = o.lines[20:]
			o.inPlace()
		}
		var stop atomic.Bool
		var wg sync.WaitGroup
		wg.Go(func() {
			defer stop.Store(true)
			switch round % 3 {
			case 0:
				o.byRename()
			case 1:
				o.inPlace()
			case 2:
				o.appends()
			}
		})
		for n := 0; n == 0 || !stop.Load(); n++ {
			base, err := os.ReadFile(o.path)
			if err != nil {
				t.Fatal(err)
			}
			ours := append(base, fmt.Sprintf("ours %d %d\n", round, n)...)
			_, err = f.Replace("f", ours, 0, func(old []byte, _ Stamp, exists bool) error {
				if !exists || string(old) != string(base) {
					return errUnexpected
				}
				return nil
			}, nil)
			var d *Displaced
			switch {
			case err == nil:
				won++
			case errors.As(err, &d):
				displaced++
				wg.Wait()
				now, _ := os.ReadFile(o.path)
				o.mustHold(round, string(now)+string(d.Old))
				o.inPlace()
			case errors.Is(err, errUnexpected) || errors.Is(err, kaijutsu.ErrConflict):
				lost++
			default:
				t.Fatal(err)
			}
		}
		wg.Wait()
		now, err := os.ReadFile(o.path)
		if err != nil {
			t.Fatal(err)
		}
		o.mustHold(round, string(now))
		if t.Failed() {
			break
		}
	}
	t.Logf("replaced %d times, refused %d times, displaced %d times", won, lost, displaced)
	if won == 0 || lost == 0 {
		t.Errorf("replaced %d times, refused %d times: want both", won, lost)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".kaijutsu*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

var errUnexpected = errors.New("not what we read")

func (o *other) mustHold(round int, text string) {
	for _, line := range o.lines {
		if !strings.Contains(text, line) {
			o.t.Errorf("round %d (%d): %q is lost; there is\n%s", round, round%3, line, text)
		}
	}
}
