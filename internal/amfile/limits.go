package amfile

// The limits of what is accepted. They bound the memory and time that a few
// bytes from a stranger can cost, and lie far above what editors produce.
const (
	// MaxChunkBytes bounds the body of one change, as it is on the wire and
	// inflated: what was accepted deflated can be sent plain.
	MaxChunkBytes = 16 << 20
	// MaxDocumentBytes bounds one document chunk as it is on the wire.
	MaxDocumentBytes = 256 << 20
	// MaxInflatedBytes bounds what the deflated changes of one file or
	// message may inflate to together.
	MaxInflatedBytes = 64 << 20
	// MaxChunks bounds the chunks of one file or message.
	MaxChunks = 1 << 20
	// MaxInflationRatio bounds the inflated by the deflated bytes of a change
	// above FreeInflation.
	MaxInflationRatio = 100
	// FreeInflation is how many inflated bytes are allowed at any ratio.
	FreeInflation = 1 << 20
	// MaxOps bounds the operations of one change: a text pasted in one go is
	// one for each character. Decoded they take about 150 bytes each, however
	// few the chunk has: see CountOps.
	MaxOps = 1_000_000
	// FreeOps is how many operations a change may have beyond the bytes of its
	// body, deletes not counted. What people write takes a byte for each; a
	// change that makes a million list elements out of sixty bytes is a bomb
	// for everybody who holds the document.
	FreeOps = 20_000
	// MaxPreds bounds the predecessors of one operation.
	MaxPreds = 10_000
	// MaxChangePreds bounds the predecessors of all operations of one change.
	MaxChangePreds = 2 * MaxOps
	// MaxCounter bounds operation counters: JavaScript engines run out of
	// memory or panic near 2^31.
	MaxCounter = 1<<31 - 1
	// MaxSeq bounds sequence numbers, which JavaScript holds in doubles.
	MaxSeq = 1<<53 - 1
	// MaxActorBytes bounds an actor id. Editors make ids of 16 bytes, and from
	// any id one longer by 5 or more when they edit an earlier state.
	MaxActorBytes = 128
	// MaxOtherActors bounds the actors that one change refers to.
	MaxOtherActors = 4096
	// MaxDeps bounds the direct dependencies of one change.
	MaxDeps = 1000
	// MaxTimeSeconds bounds the time of a change, either way from 1970.
	MaxTimeSeconds = 1 << 53
	// MaxMessageBytes bounds the message of a change.
	MaxMessageBytes = 64 << 10
	// MaxKeyBytes bounds a map key and a mark name.
	MaxKeyBytes = 1 << 10
	// MaxValueBytes bounds one scalar value.
	MaxValueBytes = 8 << 20
	// MaxExtraBytes bounds what follows the columns of a change.
	MaxExtraBytes = 256
	// MaxColumns bounds the entries of one column table.
	MaxColumns = 16

	// MaxDocumentInflatedBytes bounds what the columns of one document chunk
	// may inflate to together.
	MaxDocumentInflatedBytes = 512 << 20
	// MaxDocumentHistoryBytes bounds the chunks of all changes of a document.
	MaxDocumentHistoryBytes = 1 << 30
	// MaxDocumentActors bounds the actors of a document.
	MaxDocumentActors = 1 << 17
	// MaxDocumentChanges bounds the changes of a document.
	MaxDocumentChanges = 1 << 21
	// MaxDocumentDeps bounds the dependencies of all changes of a document.
	MaxDocumentDeps = 1 << 22
	// MaxDocumentOps bounds the operations of a document.
	MaxDocumentOps = 1 << 22
	// MaxDocumentPreds bounds the predecessors of all operations of a document.
	MaxDocumentPreds = 1 << 23

	// MaxHaves bounds the entries of a sync message's "have" list.
	MaxHaves = 16
	// MaxSyncHashes bounds each list of hashes in a sync message.
	MaxSyncHashes = 10_000
	// MaxSyncHeads bounds the heads that a sync message tells; a document is
	// not let have more.
	MaxSyncHeads = 1000
	// MaxSyncChanges bounds the entries of a sync message's change list. The
	// first message of an editor with a long history has all of it.
	MaxSyncChanges = 1 << 22
	// MaxBloomProbes bounds the probes of a bloom filter.
	MaxBloomProbes = 32
	// MaxBloomBitsPerEntry bounds the bits per entry of a bloom filter.
	MaxBloomBitsPerEntry = 64
)
