package torture

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"kaijutsu"
)

const (
	// imageBytes is the size of a disk in a file, which has holes.
	imageBytes = 512 << 20
	// settlePause lets the kernel take to the image what it was asked to.
	settlePause = 50 * time.Millisecond
)

// image is a disk in a file, with a file system of the kernel: what was not
// synced is not in the file. It stands in for a file system of ours, and knows
// no points: the power goes at any time.
type image struct {
	dir, point string
	n          int // of the file that is mounted
}

// openImage makes and mounts a disk.
func openImage(dir, point string) (*image, error) {
	m := &image{dir: dir, point: point}
	if err := os.WriteFile(m.file(0), nil, 0o600); err != nil {
		return nil, err
	}
	if err := os.Truncate(m.file(0), imageBytes); err != nil {
		return nil, err
	}
	if err := command("mkfs.ext4", "-q", "-m", "0", m.file(0)); err != nil {
		return nil, err
	}
	return m, m.mount()
}

func (m *image) file(n int) string { return filepath.Join(m.dir, fmt.Sprintf("image-%d", n)) }

// mount mounts it so that it writes nothing by itself for five minutes.
func (m *image) mount() error {
	return command("mount", "-o", "loop,commit=300", m.file(m.n), m.point)
}

func command(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("a disk in a file takes root, %s and loop devices: %w: %w: %s", name, kaijutsu.ErrUnavailable, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// freeze copies the disk under a server that is stopped.
func (m *image) freeze(signal func(syscall.Signal) error) error {
	if err := signal(syscall.SIGSTOP); err != nil {
		return err
	}
	time.Sleep(settlePause)
	return command("cp", "--sparse=always", m.file(m.n), m.file(m.n+1))
}

// swap mounts the copy in place of the disk.
func (m *image) swap() error {
	if err := m.unmount(); err != nil {
		return err
	}
	if err := os.Remove(m.file(m.n)); err != nil {
		return err
	}
	if _, err := os.Stat(m.file(m.n + 1)); err != nil {
		return fmt.Errorf("the disk was not frozen: %w", err)
	}
	m.n++
	return m.mount()
}

// unmount waits for the kernel, which still writes for who has ended.
func (m *image) unmount() error {
	err := unix.Unmount(m.point, 0)
	for tries := 0; errors.Is(err, unix.EBUSY) && tries < 100; tries++ {
		time.Sleep(settlePause)
		err = unix.Unmount(m.point, 0)
	}
	if err != nil {
		return fmt.Errorf("unmount %s: %w", m.point, err)
	}
	return nil
}
