package repo

import (
	"context"
	"fmt"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/store"
)

// Signer says who an actor is, and through whom it came; zero when it came
// itself.
type Signer struct{ By, Via kaijutsu.Principal }

// Delivery is what another node brings of a document.
type Delivery struct {
	// Node is the storage id of the node, for logs.
	Node string
	// Changes are decoded, by amfile.DecodeChange, in any order.
	Changes []*amfile.Change
	// Signers says who their actors are. Nothing is noted of an actor that is
	// missing.
	Signers map[kaijutsu.ActorID]Signer
	// Base says that the document is a fork: when it is not here and the
	// base's heads are, it is made resting on them, and Changes begin with its
	// anchor. It is ignored for a document that is here.
	Base *store.Base
	// Anchor is the anchor of the document, as Origin of the other node tells;
	// zero when it has none or it is not known. Changes that come before it may
	// belong to another context: that of an import, or of what was forked.
	Anchor kaijutsu.ChangeHash
}

// Absorbed says what came of a Delivery, on disk.
type Absorbed struct {
	// Taken is how many changes the document gained: of the delivery, and those
	// that had waited for them.
	Taken int
	// Missing are changes that are to be brought before those that wait can be
	// taken; of very many some. Those that wait are kept in memory within
	// bounds and have to be brought again after a restart.
	Missing []kaijutsu.ChangeHash
	Heads   kaijutsu.Heads
}

// Absorb takes changes that another node has accepted, and returns when they
// are on disk.
func (r *Repo) Absorb(ctx context.Context, id kaijutsu.DocumentID, d Delivery) (Absorbed, error) {
	return Absorbed{}, fmt.Errorf("absorb changes: not there yet: %w", kaijutsu.ErrUnavailable)
}

// Origin is where a document comes from.
type Origin struct {
	// Anchor is the change from which all of the document's own descend; zero
	// when it has none.
	Anchor kaijutsu.ChangeHash
	// Base is what it rests on, nil when it holds everything itself.
	Base *store.Base
}

// Origin returns where a document comes from, or an error wrapping
// kaijutsu.ErrNotFound when it is not here.
func (r *Repo) Origin(ctx context.Context, id kaijutsu.DocumentID) (Origin, error) {
	return Origin{}, fmt.Errorf("origin of a document: not there yet: %w", kaijutsu.ErrUnavailable)
}
