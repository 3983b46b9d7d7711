package blocks

// Fate is what became of some lines of a block.
type Fate struct {
	// Stale reports that the lines do not stand any more as they were.
	Stale bool
	// Reason is FateChanged or FateDeleted; "" when they stand.
	Reason string
	// Then is what the lines said, Now what stands in their place, lines whole;
	// the same when they stand.
	Then, Now string
	// NowFirst and NowLast are the lines of Now, from 1. When nothing stands
	// there, NowLast is the line in front and NowFirst the one behind it.
	NowFirst, NowLast int
}

// The reasons of a Fate.
const (
	FateChanged = "changed"
	FateDeleted = "deleted"
)
