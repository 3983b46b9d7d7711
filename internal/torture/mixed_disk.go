package torture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"kaijutsu/internal/faultfs"
)

// brittle is a node's data directory on a file system that can be broken.
type brittle struct {
	backing string
	fs      *faultfs.FS
}

// openDisks gives a node that is alone a disk that can be broken, where this
// machine lets us; else it says why not, and goes on without.
func (m *mixed) openDisks() error {
	m.disks = make([]*brittle, m.layout.nodes)
	if m.layout.nodes != 1 {
		return nil
	}
	point := filepath.Join(m.dir, "node-a")
	d := &brittle{backing: filepath.Join(m.dir, "disk-a")}
	for _, dir := range []string{point, d.backing} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	var err error
	d.fs, err = faultfs.Mount(d.backing, point, faultfs.Options{})
	if errors.Is(err, faultfs.ErrUnsupported) {
		m.say("  no faults of the disk: %v", err)
		return nil
	}
	if err != nil {
		return err
	}
	m.disks[0] = d
	return nil
}

// closeDisks ends the mounts, when their nodes have ended.
func (m *mixed) closeDisks() {
	for i, d := range m.disks {
		if d == nil || d.fs == nil {
			continue
		}
		d.fs.OnOp(nil)
		m.nodes[i].kill()
		if err := d.fs.Unmount(); err != nil {
			m.say("  unmount: %v", err)
		}
		d.fs = nil
	}
}

// backingOf returns where a node's files can be read by this process.
func (m *mixed) backingOf(n *node) string {
	for i, d := range m.disks {
		if d != nil && m.nodes[i] == n {
			return d.backing
		}
	}
	return n.dir
}

// learnOwner reads the token of the node's owner.
func (n *node) learnOwner(dir string) error {
	b, err := os.ReadFile(filepath.Join(dir, "owner.token"))
	if err != nil {
		return fmt.Errorf("node %s: %w", n.name, err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.owner = strings.TrimSpace(string(b))
	return nil
}

// can reports whether a sort of strike is possible here.
func (m *mixed) can(s strikeKind) bool {
	return !s.disk || m.disks[0] != nil
}

// losePower kills a node and takes away what it had not synced.
func (m *mixed) losePower(ctx context.Context, n *node, d *brittle, random *rand.Rand) error {
	if err := m.untilBusy(ctx, random); err != nil {
		return err
	}
	m.down(n, "power")
	n.kill()
	if err := d.fs.PowerLoss(random); err != nil {
		return fmt.Errorf("take the power away: %w", err)
	}
	fs, err := faultfs.Mount(d.backing, n.dir, faultfs.Options{})
	if err != nil {
		return err
	}
	d.fs = fs
	return m.up(ctx, n)
}

// fillDisk lets a disk be full for a while.
func (m *mixed) fillDisk(ctx context.Context, n *node, d *brittle, random *rand.Rand) error {
	d.fs.SetFree(random.Int64N(1 << 20))
	defer d.fs.SetFree(-1)
	if err := m.rest(ctx, within(random, 500*time.Millisecond, 3*time.Second)); err != nil {
		return err
	}
	return m.perhapsKill(ctx, n, random, func() { d.fs.SetFree(-1) })
}

// failDisk lets a disk fail to write or to sync for a while, now and then or
// always.
func (m *mixed) failDisk(ctx context.Context, n *node, d *brittle, random *rand.Rand) error {
	kinds := pick(random, []faultfs.Kind{faultfs.Fsync}, []faultfs.Kind{faultfs.Write}, []faultfs.Kind{faultfs.Write, faultfs.Fsync, faultfs.Truncate, faultfs.Create, faultfs.Rename})
	odds := pick(random, 1, 4, 20)
	own := rand.New(rand.NewPCG(random.Uint64(), 3)) // asked by one request at a time
	d.fs.OnOp(func(op faultfs.Op) (v faultfs.Verdict) {
		for _, k := range kinds {
			if op.Kind == k && own.IntN(odds) == 0 {
				v.Errno = syscall.EIO
			}
		}
		return v
	})
	defer d.fs.OnOp(nil)
	if err := m.rest(ctx, within(random, 300*time.Millisecond, 2*time.Second)); err != nil {
		return err
	}
	return m.perhapsKill(ctx, n, random, func() { d.fs.OnOp(nil) })
}

// slowDisk lets each fsync take long for a while.
func (m *mixed) slowDisk(ctx context.Context, n *node, d *brittle, random *rand.Rand) error {
	delay := within(random, 20*time.Millisecond, 300*time.Millisecond)
	d.fs.OnOp(func(op faultfs.Op) (v faultfs.Verdict) {
		if op.Kind == faultfs.Fsync {
			v.Delay = delay
		}
		return v
	})
	defer d.fs.OnOp(nil)
	if err := m.rest(ctx, within(random, time.Second, 3*time.Second)); err != nil {
		return err
	}
	return m.perhapsKill(ctx, n, random, func() { d.fs.OnOp(nil) })
}

// perhapsKill kills the node while its disk is broken, mends that, and starts it
// again; or mends only.
func (m *mixed) perhapsKill(ctx context.Context, n *node, random *rand.Rand, mend func()) error {
	if random.IntN(2) == 0 {
		mend()
		return nil
	}
	m.down(n, "")
	n.kill()
	mend()
	return m.up(ctx, n)
}
