package blocks

import (
	"math/rand"
	"testing"

	"kaijutsu/internal/amfile"
)

// TestATrackerMissesNothing holds a tracker against a model: whatever shows
// otherwise after a change, the tracker says is touched. It says too much where
// what was written loses: of a text that somebody else had replaced meanwhile,
// which is seldom.
func TestATrackerMissesNothing(t *testing.T) {
	total, tooMuch := 0, 0
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
				if missed := x.How & TouchContent &^ how; !ok || missed != 0 || (x.How^how)&TouchInserted != 0 {
					t.Errorf("change %d: Follow says that %s is touched %v, the model %v", i, x.ID, how, x.How)
				}
				if total++; how&TouchContent&^x.How != 0 {
					tooMuch++
				}
			}
		}
	})
	if tooMuch > total/100 {
		t.Errorf("Follow says of %d of %d blocks that their content is touched, which shows as it was", tooMuch, total)
	}
}
