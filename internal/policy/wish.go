package policy

import (
	"encoding/json"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/repo"
)

// deliveryMessage is what the change says with which the courier delivers.
const deliveryMessage = "op:drift_push"

// delivered reports whether a drift block is one that the courier delivered with
// a wish to act in it: any editor may write a block that looks like one, or a
// wish into one that has none.
func (k *Keeper) delivered(doc kaijutsu.DocumentID, id blocks.ID) bool {
	wish := false
	err := k.cfg.Repo.View(k.stopping, doc, func(v repo.View) error {
		actor, counter, ok := v.Model().Made(id)
		if !ok {
			return nil
		}
		log := v.Log()
		i, ok := log.Find(actor, counter)
		if !ok {
			return nil
		}
		c, err := log.Change(i)
		if err != nil {
			return err
		}
		if c.Message != deliveryMessage {
			return nil
		}
		text, err := v.Model().FirstMetas(log)(id)
		if err != nil {
			return err
		}
		m, ok := drift.ParseMeta(text)
		wish = ok && m.Act == drift.ActPending && id == drift.BlockID(m.DriftID, doc)
		return nil
	})
	return err == nil && wish
}

// asked counts the questions that wait for an answer, and those about blocks of
// a principal.
func (k *Keeper) asked(by kaijutsu.Principal) (all, own int) {
	for _, value := range k.cfg.Table.All(actPrefix) {
		var row actRow
		if all++; json.Unmarshal(value, &row) == nil && row.By == by.String() {
			own++
		}
	}
	return all, own
}
