package follow_test

import (
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/flowbus"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/follow"
	"kaijutsu/internal/repo"
)

// bring has a house take over everything another holds of a context, as another
// node's changes are taken.
func (h *house) bring(from *house, id kaijutsu.ContextID) {
	h.t.Helper()
	changes, err := from.repo.Raw(h.t.Context(), id.Document(), 0, 1<<20)
	if err != nil {
		h.t.Fatal(err)
	}
	delivery := repo.Delivery{Node: "other", Signers: make(map[kaijutsu.ActorID]repo.Signer)}
	for _, c := range changes {
		decoded, err := amfile.DecodeChange(c.Raw)
		if err != nil {
			h.t.Fatal(err)
		}
		delivery.Changes = append(delivery.Changes, decoded)
		delivery.Signers[c.Author()] = repo.Signer{By: c.By, Via: c.Via}
	}
	if _, err := h.repo.Absorb(h.t.Context(), id.Document(), delivery); err != nil {
		h.t.Fatal(err)
	}
}

// told is what is in the next items of these kinds, until there are n.
func (h *house) told(f *follow.Follower, n int, kinds ...flowbus.Kind) (out []flowbus.Event) {
	h.t.Helper()
	for len(out) < n {
		for _, i := range h.next(f) {
			for _, k := range kinds {
				if i.Name == string(k) {
					out = append(out, h.decode(i))
				}
			}
		}
	}
	return out
}

// TestWhatIsToldIsThere: an event of another node that is about a change is told
// when the change is here, behind what came of it; others are not held up.
func TestWhatIsToldIsThere(t *testing.T) {
	url := startNATS(t)
	here := open(t, t.TempDir(), follow.Config{Node: "here", Bus: dial(t, url, "here")})
	there := open(t, t.TempDir(), follow.Config{Node: "there", Bus: dial(t, url, "there")})
	plan := here.newContext("Plan")
	there.bring(here, plan)
	one, all := there.follow("ctx."+plan.String()+".>", ""), there.follow(">", "")
	there.next(one)
	there.next(all)

	question := blocks.NewID(time.Now())
	edited := here.edit(plan, func(tx *blocks.Tx) error {
		return tx.InsertBlock(blocks.BlockSpec{ID: question, Kind: blocks.KindQuery, Content: "Deploy?"})
	})
	for _, e := range []flowbus.Event{
		{Kind: flowbus.ElicitationRequest, Context: plan, Block: string(question), Change: edited.Change, Data: &flowbus.Elicitation{ID: string(question), Message: "Deploy?"}},
		{Kind: flowbus.ElicitationAnswered, Context: plan, Block: string(question), Change: edited.Change, Data: &flowbus.Answer{ID: string(question), Action: "accept", Reason: "answered"}},
		{Kind: flowbus.SeatJoined, Context: plan, Data: &flowbus.Seat{Nick: "amy", Instance: "a", Door: "http", Status: "active"}},
	} {
		if err := here.hub.Publish(e); err != nil {
			t.Fatal(err)
		}
	}
	kinds := []flowbus.Kind{flowbus.SeatJoined, flowbus.BlockInserted, flowbus.ElicitationRequest, flowbus.ElicitationAnswered}
	for _, f := range []*follow.Follower{one, all} {
		if got := there.told(f, 1, kinds...); len(got) != 1 || got[0].Kind != flowbus.SeatJoined {
			t.Errorf("before the change is there, %v is told, want who joined alone", got)
		}
	}
	there.bring(here, plan)
	for _, f := range []*follow.Follower{one, all} {
		for i, got := range there.told(f, 3, kinds[1:]...) {
			if got.Kind != kinds[i+1] || got.Block != string(question) && i > 0 {
				t.Errorf("event %d is %s of %s, want %s", i, got.Kind, got.Block, kinds[i+1])
			}
		}
	}
}
