package changegraph

import "kaijutsu/internal/amfile"

// The limits of what a graph accepts and keeps. They bound the memory and time
// that strangers can cost and lie far above what editors produce.
const (
	// MaxHeads bounds the open heads of a document: a change that would pass
	// it is refused for now.
	MaxHeads = 1000
	// MaxWaiting bounds the changes that wait for their dependencies.
	MaxWaiting = 10_000
	// MaxWaitingBytes bounds what the waiting changes hold.
	MaxWaitingBytes = 32 << 20
	// MaxWaitingOps bounds the operations of the waiting changes: those that
	// wait for the same are decoded together, at 150 bytes an operation.
	MaxWaitingOps = 2 * amfile.MaxOps
	// CounterSlack is how far beyond the highest known operation counter a
	// change may start; one that starts later waits.
	CounterSlack = 10_000

	// maxRefused bounds the refused hashes that are remembered so that peers
	// are not asked for them again.
	maxRefused = 4096
	// maxNeed bounds the changes that a peer is asked for at once, maxNeedWork
	// the hashes that are looked at to find them.
	maxNeed     = 1000
	maxNeedWork = 10_000
	// maxTold bounds the refusals kept for a peer until its next message.
	maxTold = 16
	// maxSmallOpBytes and maxLargeOpBytes bound the caches of the operations
	// of changes; a large change has more than largeOps operations. The
	// largest change that amfile accepts fits.
	maxSmallOpBytes = 2 << 20
	maxLargeOpBytes = 16 << 20
	largeOps        = 1000
	// maxCachedElements bounds the elements held by the index of sequences.
	maxCachedElements = 1 << 21
	// maxRecent bounds the remembered answers of since.
	maxRecent = 32
	// maxRecentSpans bounds the spans of one remembered answer.
	maxRecentSpans = 1 << 14
	// maxShared bounds the shared heads remembered of a peer whose heads are
	// not all known.
	maxShared = 64
	// maxFilters bounds the bloom filters of one message that are looked at.
	maxFilters = 4
	// maxSentBytes bounds each encoded message kept for the next peer. Many who
	// open a document at once share the one that holds it.
	maxSentBytes = 16 << 20
	// maxCuts is how many of the last truncations sync states can follow;
	// states older than that start over.
	maxCuts = 16
)

// maxDistance is how far apart in the log shared heads may be for one to be
// recognised as an ancestor of another.
const maxDistance = 4096
