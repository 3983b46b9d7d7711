package peer

import "syscall"

// await waits until there is something to read of a joined peer, which may be
// for hours. It is done here because the reader of the WebSocket library waits
// deeper in calls: a goroutine that waits here keeps a stack of 4 KiB, and one
// that waits there one of 8. What is wrong with the connection is found by reading.
func (c *conn) await() {
	if c.sock.out.raw == nil || c.who.Load() == nil || !c.drained() {
		return
	}
	c.visitor.Rest()
	_ = c.sock.out.raw.Read(new(patient).ready) // an error shows in reading
	c.hub.shift.giveWay(c.over)
}

// drained reports whether what was read is taken. From the end on the closing
// handshake reads too, in the write loop.
func (c *conn) drained() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ending == nil && c.in.Buffered() == 0
}

// patient waits for a socket to become readable.
type patient struct{ woken bool }

// ready reports whether the socket is, or was said to be after a wait.
func (p *patient) ready(fd uintptr) bool {
	if p.woken {
		return true
	}
	p.woken = true
	var b [1]byte
	_, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK)
	return err != syscall.EAGAIN && err != syscall.EINTR
}
