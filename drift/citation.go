package drift

// MaxQuote is the most characters of a quote.
const MaxQuote = 200

// Citation is what a claim rests on. The text of the claim names it by its
// number: [1].
type Citation struct {
	Ref    int // 1 or more
	Handle Handle
	Quote  string // how the cited lines began, at most MaxQuote characters
}

// Mark says that what a citation names has changed.
type Mark struct {
	Ref    int      // the citation's number
	Reason string   // changed, deleted or context deleted
	Diff   string   // a unified diff from what was cited to what is there; at most MaxDiff bytes
	Heads  []string // where the cited context stood then: full hashes
}

// The reasons of a mark.
const (
	ReasonChanged        = "changed"
	ReasonDeleted        = "deleted"
	ReasonContextDeleted = "context deleted"
)

// MaxDiff is the most bytes of a mark's diff.
const MaxDiff = 4 << 10
