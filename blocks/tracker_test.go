package blocks

import (
	"math/rand"
	"testing"

	"kaijutsu/internal/amfile"
)

// TestATrackerMissesNothing holds a tracker against a model: whatever shows
// otherwise after a change, the tracker says is touched.
func TestATrackerMissesNothing(t *testing.T) {
	ownHistories(t, 40, func(t *testing.T, _ *rand.Rand, changes []*amfile.Change) {
		model, tracker, glimpse := NewModel(), &Tracker{}, &amfile.Glimpse{}
		for i, c := range changes {
			if err := glimpse.Read(c.Raw); err != nil {
				t.Fatal(err)
			}
			said := make(map[ID]Touch)
			touched, title := tracker.Follow(glimpse)
			for _, x := range touched {
				said[tracker.IDs()[x.Block]] = x.How
			}
			delta := model.Apply(c)
			if delta.Title && !title {
				t.Errorf("change %d: the title was touched, the tracker does not say so", i)
			}
			for _, x := range delta.Blocks {
				how, ok := said[x.ID]
				if !ok || x.How&(TouchContent|TouchInserted) != how&(TouchContent|TouchInserted) {
					t.Errorf("change %d: Follow says that %s is touched %v, the model %v", i, x.ID, how, x.How)
				}
			}
		}
	})
}
