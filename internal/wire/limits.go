package wire

// Limits on what Decode accepts. Lengths of text are in bytes.
const (
	MaxPeerIDBytes     = 256
	MaxStorageIDBytes  = 256
	MaxSessionIDBytes  = 256
	MaxDocumentIDBytes = 64
	MaxErrorBytes      = 4096
	MaxTypeBytes       = 64
	// MaxEphemeralBytes bounds the payload of an ephemeral message.
	MaxEphemeralBytes = 64 << 10
	// MaxStorageIDs bounds the storage ids of one message, for each of its
	// lists.
	MaxStorageIDs = 1000
	// MaxHeads bounds the heads of one message, all storage ids together.
	MaxHeads = 1000
	// MaxVersions bounds the protocol versions that a join offers.
	MaxVersions = 64

	maxVersionBytes  = 64
	maxHeadBytes     = 64 // bs58check of 36 bytes is at most 50 characters
	maxCount         = 1 << 53
	maxNestedLevels  = 16   // of a frame, fields we do not know included
	maxArrayElements = 4096 // of any array in a frame
	maxMapPairs      = 4096 // of any map in a frame
	maxPayloadLevels = 64   // of an ephemeral payload
)
