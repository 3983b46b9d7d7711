package torture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"kaijutsu"
	"kaijutsu/internal/faultfs"
	"kaijutsu/internal/kjproc"
)

// diskFaults are those of one server and the disk that its data directory is on.
var diskFaults = []fault{
	{"kill-point", "kill -9 of the server at each write, fsync, rename … of its disk, also while it opens", 1000, layout{nodes: 1}, nil, killPoints},
	{"power", "loss of power under load: what was not synced is kept, dropped or torn at random", 300, layout{nodes: 1}, nil, powerLosses},
	{"power-posix", "the same on a disk that keeps only what POSIX promises", 100, layout{nodes: 1}, nil, strictPowerLosses},
	{"power-image", "loss of power on a disk in a file with a file system of the kernel, which is copied under the server", 30, layout{nodes: 1}, nil, imagePowerLosses},
	{"disk-full", "the disk of the server is full for a while", 60, layout{nodes: 1}, nil, fillDisk},
	{"disk-error", "writes, fsyncs and reads of the server's disk fail; then the power goes", 100, layout{nodes: 1}, nil, failDisk},
	{"bit-flip", "one bit of a stored file turns round: all is there, or the server says that it is not", 200, layout{nodes: 1}, nil, flipBits},
	{"slow-disk", "every fsync takes longer, some hang for a second", 20, layout{nodes: 1}, nil, slowDisk},
}

const (
	// typistsEach is how many editors write to a context of a disk.
	typistsEach = 3
	// quick is their pause between two edits: they do not wait for each other.
	quick = 4 * time.Millisecond
	// contextRounds is after how many rounds new contexts are made, so that a
	// round stays short.
	contextRounds = 20
	// endTimeout is how long a server that was killed may take to be gone.
	endTimeout = 30 * time.Second
)

// disk is one server whose data directory is on a file system that breaks.
type disk struct {
	s *stage
	r *Report
	n *node
	d *DiskReport

	fs             *faultfs.FS // nil: there is none here
	image          *image      // in its place, for losses of power
	options        faultfs.Options
	lies           bool // fsyncs are not done: what the checker must find
	backing, point string

	retired []*target // written to before
	callers int
	gone    []string // directories to remove while it is not mounted
	typists []*typist
}

// openDisk mounts a disk that can do anything; a server starts with the first
// life. The error wraps faultfs.ErrUnsupported where there is no such disk.
func openDisk(s *stage, r *Report, o faultfs.Options) (*disk, error) {
	d, err := newDisk(s, r, o)
	if err == nil {
		err = d.mount()
	}
	return d, err
}

// newDisk makes the directories of a disk.
func newDisk(s *stage, r *Report, o faultfs.Options) (*disk, error) {
	d := &disk{s: s, r: r, d: &DiskReport{Points: make(map[string]int)}, options: o,
		backing: filepath.Join(s.dir, "disk"), point: filepath.Join(s.dir, "mount")}
	r.Disk, r.Nodes = d.d, 1
	for _, dir := range []string{d.backing, d.point} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, err
		}
	}
	d.n = d.server("data")
	s.nodes = append(s.nodes, d.n)
	return d, nil
}

// openAny opens the best disk that there is here for kills and losses of power:
// without a file system of ours, for the latter a disk in a file, else a plain
// directory.
func openAny(s *stage, r *Report, sort diskSort) (*disk, error) {
	d, err := newDisk(s, r, faultfs.Options{Strict: sort.strict})
	if err != nil {
		return nil, err
	}
	d.lies = sort.lies
	if !sort.image {
		if err = d.mount(); err == nil || !errors.Is(err, faultfs.ErrUnsupported) || sort.strict {
			return d, err
		}
		r.note("the server is struck at any time, not at points of its disk: %v", err)
	}
	d.backing = d.point
	if sort.power {
		d.image, err = openImage(s.dir, d.point)
		return d, err
	}
	return d, nil
}

func (d *disk) server(name string) *node {
	return &node{name: "A", exe: d.s.exe, dir: filepath.Join(d.point, name), args: []string{"--log-level", "info"}}
}

// mount mounts the disk, without what is not needed any more.
func (d *disk) mount() (err error) {
	for _, dir := range d.gone {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	d.gone = nil
	d.fs, err = faultfs.Mount(d.backing, d.point, d.options)
	return err
}

// close ends the server and the mount.
func (d *disk) close() error {
	d.n.kill()
	switch {
	case d.fs != nil:
		return d.fs.Unmount()
	case d.image != nil:
		return d.image.unmount()
	}
	return nil
}

// watch sets who is asked about each request of the disk.
func (d *disk) watch(ask func(faultfs.Op) faultfs.Verdict) {
	if d.fs != nil {
		d.fs.OnOp(ask)
	}
}

// freeze keeps what the disk holds now, of a server that is about to lose its
// power.
func (d *disk) freeze(p *kjproc.Process) error {
	if d.image == nil {
		return nil
	}
	return d.image.freeze(p.Signal)
}

// life is one start of a server until its end.
type life struct {
	d      *disk
	n      *node
	struck atomic.Bool // it was killed on purpose
}

func (d *disk) newLife(n *node) *life { return &life{d: d, n: n} }

// kill ends the server from within a request of its disk, by the thread that
// asks unless it is known.
func (l *life) kill(thread int) {
	if p := l.n.process(); p != nil {
		l.struck.Store(true)
		_ = p.Signal(syscall.SIGKILL) // it may be gone
	} else if thread > 1 {
		l.struck.Store(true)
		_ = syscall.Kill(thread, syscall.SIGKILL)
	}
}

// start starts the server; false means that it was killed before it was ready.
func (l *life) start(ctx context.Context) (bool, error) {
	began := time.Now()
	err := l.n.start(ctx)
	if err == nil {
		l.d.d.opened(time.Since(began))
		return true, nil
	}
	if l.struck.Load() && ctx.Err() == nil {
		return false, nil
	}
	return false, err
}

// finish kills the server if nothing has, and waits for its end.
func (l *life) finish(ctx context.Context) error {
	p := l.n.process()
	if p == nil {
		return nil
	}
	if !l.struck.Swap(true) {
		select {
		case <-p.Done():
			l.n.ended(p)
			return fmt.Errorf("the server ended by itself: %w: %s", kaijutsu.ErrUnavailable, tail(p.Log()))
		default:
		}
	}
	l.n.kill()
	return context.Cause(ctx)
}

// load lets editors and callers write until the server is dead or the time is
// over; then they stop.
func (l *life) load(ctx context.Context, atMost time.Duration) error {
	p := l.n.process()
	if p == nil {
		return nil
	}
	stop := l.d.write(ctx)
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-p.Done():
	case <-ctx.Done():
	}
	err := l.d.freeze(p)
	l.kill(0)
	select {
	case <-p.Done():
	case <-time.After(endTimeout):
	}
	stop()
	return err
}

// write starts the writers, and returns what stops them and waits.
func (d *disk) write(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	end := make(chan struct{})
	var writing sync.WaitGroup
	for i, t := range d.s.targets {
		for k := range typistsEach {
			w := d.typist(i, k)
			w.target = t
			writing.Go(func() { w.run(ctx, end) })
		}
		d.callers++ // each begins to count anew
		c := &caller{name: fmt.Sprintf("caller %d", d.callers), node: d.n, target: t, ledger: d.s.ledger, random: d.s.branch(), refused: make(map[string]int)}
		writing.Go(func() { c.run(ctx, end) })
	}
	return func() {
		close(end)
		cancel()
		writing.Wait()
	}
}

// typist returns the k-th editor of the i-th context, which counts its marks
// over all lives.
func (d *disk) typist(i, k int) *typist {
	if at := i*typistsEach + k; at < len(d.typists) {
		return d.typists[at]
	}
	w := &typist{
		name: fmt.Sprintf("editor %d.%d", i+1, k+1), node: d.n, ledger: d.s.ledger, random: d.s.branch(),
		pause: quick, patience: quick,
	}
	d.typists = append(d.typists, w)
	return w
}

// renew makes new contexts in a life in which nothing breaks.
func (d *disk) renew(ctx context.Context) error {
	d.retired = append(d.retired, d.s.targets...)
	d.s.targets = nil
	return d.s.makeContexts(ctx)
}

// missing holds what was acknowledged against what the server exports, and
// reports a problem if there is less. The error of a server that was killed
// meanwhile wraps errStruck.
func (l *life) missing(ctx context.Context, targets []*target, after string) error {
	for _, t := range targets {
		changes, err := l.n.api().export(ctx, t.doc)
		if err != nil {
			if l.struck.Load() {
				return errStruck
			}
			return fmt.Errorf("after %s: %w", after, err)
		}
		l.d.d.Checks++
		have := make(map[kaijutsu.ChangeHash]struct{}, len(changes))
		for _, c := range changes {
			have[c.Hash] = struct{}{}
		}
		if lost, example := missing(l.d.s.ledger.acked[t.doc], have); lost > 0 {
			l.d.r.Lost[l.n.name] += lost
			l.d.r.problem("after %s: context %s lacks %d acknowledged changes, such as %s", after, t.id, lost, example)
		}
	}
	return nil
}

// errStruck says that the server was killed on purpose.
var errStruck = errors.New("killed")

// audit is the last life, in which nothing breaks: everything that was ever
// acknowledged is looked for, in the changes and in the texts.
func (d *disk) audit(ctx context.Context) error {
	d.watch(nil)
	l := d.newLife(d.n)
	if _, err := l.start(ctx); err != nil {
		return fmt.Errorf("the last start: %w", err)
	}
	d.d.sum(d.s.ledger, d.r)
	all := append(d.retired, d.s.targets...)
	if err := l.missing(ctx, all, "all rounds"); err != nil {
		return err
	}
	d.s.targets, d.retired = all, nil
	for _, t := range all {
		if err := d.s.checkMarks(ctx, d.r, d.n, t); err != nil {
			return err
		}
		for _, acked := range d.s.ledger.marks[t.doc] {
			if acked {
				d.r.Marks++
			}
		}
	}
	if d.r.AckedByEditors == 0 {
		d.r.problem("no change was acknowledged to an editor: this run shows nothing")
	}
	checkLog(d.r, d.n.name, d.n.log())
	return l.finish(ctx)
}
