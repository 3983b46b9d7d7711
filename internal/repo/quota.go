package repo

import (
	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/changegraph"
)

// Growth is a change that is about to be taken, and what there is before it.
type Growth struct {
	Doc kaijutsu.DocumentID
	// By is who brings it, or makes it here; zero when it is the server itself.
	By kaijutsu.Principal
	// New says that the document holds nothing yet.
	New bool
	// ChangeBytes is the size of the change, Bytes that of all changes of the
	// document that are on disk.
	ChangeBytes, Bytes int64
	// NewActor says that its actor has none yet in the document. Then Actors are
	// how many the document has, and ActorsBy how many of them are By's.
	NewActor         bool
	Actors, ActorsBy int
}

// judgeGrowth asks whether a document may grow by a change of somebody. What
// other nodes took is not asked for.
func (d *document) judgeGrowth(c *amfile.Change, by signer) error {
	if d.repo.cfg.Quota == nil {
		return nil
	}
	who := by.by
	if who.IsZero() {
		who = by.via
	}
	g := Growth{Doc: d.id, By: who, New: d.graph.Len() == 0, ChangeBytes: int64(len(c.Raw)), Bytes: int64(d.coveredBytes + d.tailBytes)}
	if _, known := d.actors[c.Author()]; !known {
		g.NewActor, g.Actors, g.ActorsBy = true, len(d.actors), d.actorsOf(who)
	}
	if err := d.repo.cfg.Quota(g); err != nil {
		return changegraph.Passing(err) // a limit is for now, and may be changed
	}
	return nil
}

// actorsOf counts the actors of a principal.
func (d *document) actorsOf(who kaijutsu.Principal) int {
	if d.actorCounts == nil {
		d.actorCounts = make(map[kaijutsu.Principal]int)
		for _, s := range d.actors {
			d.countActor(s)
		}
	}
	return d.actorCounts[who]
}

// countActor notes an actor that is new, when they are counted.
func (d *document) countActor(s signer) {
	if d.actorCounts == nil {
		return
	}
	if d.actorCounts[s.by]++; s.by.IsZero() {
		d.actorCounts[s.via]++
	}
}
