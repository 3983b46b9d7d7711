// Package drift is what travels between contexts: curated knowledge with its
// provenance, in place of shared transcripts.
//
// A drift has an id, a UUID. Where it arrives it is one block, whose id follows
// from the drift's and the target's ([BlockID]): delivering it twice, on any
// node, in any crash, gives one block. What the block says of where it comes
// from is its meta ([Meta]), a JSON object that any client reads. What it
// claims it may cite: a [Handle] names lines of a block as they were at some
// heads. On its way a drift is an [Item], a record of its kernel.
//
// # What comes from outside
//
// Metas are written by any editor, items by other versions and other kernels,
// handles by people and models. All decoders here bound what they read before
// they work on it, check every field, and answer an error that wraps
// kaijutsu.ErrInvalid or kaijutsu.ErrTooLarge and names the field. Unknown keys
// of a meta are other people's and are kept; an item has none.
//
// # Distilling
//
// A [Distiller] makes a [Briefing] of a conversation. [Transcript] is what one
// that asks a model puts to it; [Cite] turns the numbers of its answer into
// citations. [Extractive] needs no model: it picks sentences by TextRank and
// says so.
//
// The package starts no goroutine, does no input or output, reads no clock and
// stores nothing. Its randomness is that of [NewID]. Its functions are safe for
// concurrent use. It does not deliver, does not know who may do what, and does
// not decide what is stale: that is done where contexts are.
package drift
