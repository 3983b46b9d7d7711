package peer

import "time"

// CloseWithin is Close for a server that has only so long: connections whose
// peers have not answered by then are cut. They keep what they have and come
// again.
func (h *Hub) CloseWithin(d time.Duration) {
	cut := time.AfterFunc(d, func() {
		h.mu.Lock()
		conns := h.connsLocked()
		h.mu.Unlock()
		for _, c := range conns {
			c.cut()
		}
	})
	defer cut.Stop()
	h.Close()
}
