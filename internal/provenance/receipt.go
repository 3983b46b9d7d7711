package provenance

import (
	"slices"

	"kaijutsu"
	"kaijutsu/blocks"
)

// receipt is a block that a drift became, and who made it.
type receipt struct {
	place
	by kaijutsu.Principal
}

// Receipt returns the block that a drift became, also when it is deleted. Only a
// block whose id is the one that the drift makes counts, whatever others say.
// But whoever edits some context can make such a block there once the drift's
// id is known: of several it is one that was there before the others came, as
// far as this node knows. ReceiptBy asks for those of a principal.
func (ix *Index) Receipt(driftID string) (kaijutsu.DocumentID, blocks.ID, bool) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if list := ix.receipts[driftID]; len(list) > 0 {
		return list[0].doc, list[0].block, true
	}
	return kaijutsu.DocumentID{}, "", false
}

// ReceiptBy is Receipt of the blocks that a principal made, which nobody else
// can make: the one in a context, if it is there, or else any.
func (ix *Index) ReceiptBy(driftID string, by kaijutsu.Principal, in kaijutsu.DocumentID) (doc kaijutsu.DocumentID, block blocks.ID, ok bool) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	for _, r := range ix.receipts[driftID] {
		if r.by == by && (!ok || r.doc == in) {
			doc, block, ok = r.doc, r.block, true
		}
	}
	return doc, block, ok
}

// receiptLocked notes that a block's entry is another. One that stays the receipt
// of its drift keeps its turn.
func (ix *Index) receiptLocked(at place, old, e *entry) {
	was, is := old.receiptOf(), e.receiptOf()
	if was == is && (old == nil || e == nil || old.by == e.by) {
		return
	}
	if list := ix.receipts[was]; was != "" {
		if list = slices.DeleteFunc(list, func(r receipt) bool { return r.place == at }); len(list) == 0 {
			delete(ix.receipts, was)
		} else {
			ix.receipts[was] = list
		}
	}
	if is != "" {
		ix.receipts[is] = append(ix.receipts[is], receipt{at, e.by})
	}
}

// receiptOf returns the drift that an entry is the receipt of, "" if of none.
func (e *entry) receiptOf() string {
	if e == nil || e.drift == nil || e.drift.copied {
		return ""
	}
	return e.drift.id
}
