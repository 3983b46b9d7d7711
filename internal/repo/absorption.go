package repo

import (
	"fmt"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/changegraph"
)

// absorption is who brings the changes of one delivery: the graph keeps it with
// those that wait.
type absorption struct {
	node    string
	signers map[kaijutsu.ActorID]Signer
	anchor  kaijutsu.ChangeHash
	state   *changegraph.SyncState

	waiting []kaijutsu.ChangeHash // the owner's: those that could not be taken yet
}

var noOptions changegraph.ReceiveOptions

func newAbsorption(in Delivery) *absorption {
	a := &absorption{node: in.Node, signers: in.Signers, anchor: in.Anchor, state: changegraph.NewSyncState()}
	a.state.Peer = a
	return a
}

// signer returns who an actor is, as the node says.
func (a *absorption) signer(actor kaijutsu.ActorID) signer {
	s := a.signers[actor]
	return signer{s.By, s.Via}
}

// judgeAbsorbed says why a change of another node is not taken: it belongs to
// another document, as far as the delivery says. Another delivery may say more.
func (d *document) judgeAbsorbed(c *amfile.Change, a *absorption) error {
	if err := d.judgeOrigin(c, a); err != nil {
		return changegraph.Passing(err)
	}
	return nil
}

func (d *document) judgeOrigin(c *amfile.Change, a *absorption) error {
	_, anchored := d.graph.Anchor()
	switch {
	case anchored || a.anchor == (kaijutsu.ChangeHash{}):
		return d.judgeContext(c)
	case c.Hash != a.anchor:
		return nil // before the anchor, of whatever it was then
	}
	if namesDocument(c, d.id) {
		return d.judgeRoot(c)
	}
	return fmt.Errorf("it is said to be the anchor of document %s and does not name it: %w", d.id, kaijutsu.ErrConflict)
}

// judgeRoot says why a change cannot be the document's anchor: all that is here
// has to come before it.
func (d *document) judgeRoot(c *amfile.Change) error {
	for _, h := range d.graph.Heads() {
		if !kaijutsu.Heads(c.Deps).Contains(h) {
			return fmt.Errorf("it is to be the anchor of document %s, and does not descend from change %v there: %w", d.id, h, kaijutsu.ErrConflict)
		}
	}
	return d.judgeContext(c)
}
