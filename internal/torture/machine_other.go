//go:build !linux

package torture

import (
	"fmt"
	"net"

	"kaijutsu"
)

// machine is this machine: others are made on Linux only.
type machine struct{ name, address string }

func (m machine) around() []string                      { return nil }
func (m machine) dial(address string) (net.Conn, error) { return net.Dial("tcp", address) }
func (m machine) cut() error                            { return nil }
func (m machine) join() error                           { return nil }

// network is some machines on one switch.
type network struct{ machines []machine }

func openNetwork(int) (*network, error) {
	return nil, fmt.Errorf("machines out of network namespaces: on Linux only: %w: leave this fault out", kaijutsu.ErrUnavailable)
}

func (w *network) close() {}
