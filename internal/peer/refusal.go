package peer

import "kaijutsu"

// Refusal is something that an editor sent and that was not taken.
type Refusal struct {
	Principal kaijutsu.Principal
	PeerID    string // what its program calls itself
	Document  kaijutsu.DocumentID
	Err       error // why; it quotes nothing of what is in blocks
}

// refused tells whoever wants to know that something was not taken.
func (c *conn) refused(d *document, err error) {
	if f := c.hub.cfg.Refused; f != nil {
		f(Refusal{c.by, c.peerID(), d.id, err})
	}
}
