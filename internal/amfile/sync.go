package amfile

import "kaijutsu"

// The first byte of sync messages, and of an encoded sync state.
const (
	syncV1    = 0x42
	syncV2    = 0x43
	syncState = 0x43
)

// minDocumentBytes is the size of an empty document chunk.
const minDocumentBytes = 14

// SyncMessage is one message of the sync protocol.
type SyncMessage struct {
	// Version is 1 when each of Changes is one change chunk, 2 when all of
	// them together are a file: usually one document chunk.
	Version int
	Heads   []kaijutsu.ChangeHash
	Need    []kaijutsu.ChangeHash
	Have    []Have
	Changes [][]byte
	// Flags is the trailer, nil when there is none. Sending it says that
	// version 2 is understood.
	Flags *SyncFlags
}

// Have says which changes the sender has: those that LastSync depends on, and
// those in Bloom.
type Have struct {
	LastSync []kaijutsu.ChangeHash
	Bloom    Bloom
}

// SyncFlags are the bits of a message's trailer.
type SyncFlags struct {
	Reset         bool // the sender forgot what it was sent
	ReadOnly      bool // the sender ignores changes
	SupportsReset bool // the sender understands Reset
}

const (
	flagsMark              = 0x80 // set in every byte of flags
	flagReset              = 1
	flagReadOnly           = 2
	flagSupportsReset      = 4
	legacyV2Flag      byte = 2 // goes before the flags
)

// DecodeSync reads a sync message of either version. Errors are *RuleError and
// wrap kaijutsu.ErrInvalid or kaijutsu.ErrTooLarge; what the changes hold is
// not looked at. The result aliases data, which must not be modified.
func DecodeSync(data []byte) (*SyncMessage, error) {
	if len(data) == 0 || data[0] != syncV1 && data[0] != syncV2 {
		return nil, broken(28, "not a sync message of version 1 or 2")
	}
	m := &SyncMessage{Version: 1 + int(data[0]-syncV1)}
	r := reader{rest: data[1:]}
	m.Heads = r.hashes(MaxSyncHeads)
	m.Need = r.hashes(MaxSyncHashes)
	m.Have = r.haves()
	m.Changes = r.changes()
	if len(r.rest) > 0 {
		m.Flags = decodeFlags(r.prefixed())
	}
	if r.err != nil {
		return nil, at("sync message", r.err)
	}
	return m, nil
}

func (r *reader) haves() []Have {
	n := r.count(2, MaxHaves)
	if n == 0 {
		return nil
	}
	haves := make([]Have, n)
	for i := range haves {
		haves[i].LastSync = r.hashes(MaxSyncHashes)
		bloom, err := decodeBloom(r.prefixed())
		if err != nil {
			r.fail(err)
		}
		haves[i].Bloom = bloom
	}
	return haves
}

// changes reads the list of changes. None is shorter than an empty document
// chunk.
func (r *reader) changes() [][]byte {
	n := r.count(minDocumentBytes+1, MaxSyncChanges)
	if n == 0 {
		return nil
	}
	list := make([][]byte, n)
	for i := range list {
		list[i] = r.prefixed()
		if r.err == nil && len(list[i]) < minDocumentBytes {
			r.fail(broken(1, "chunk of %d bytes is cut short", len(list[i])))
		}
		if r.err != nil {
			return nil
		}
	}
	return list
}

// decodeFlags reads a trailer. Unknown bytes and bits are left to later
// versions of the protocol.
func decodeFlags(trailer []byte) *SyncFlags {
	f := new(SyncFlags)
	for _, b := range trailer {
		if b&flagsMark == 0 {
			continue
		}
		f.Reset = f.Reset || b&flagReset != 0
		f.ReadOnly = f.ReadOnly || b&flagReadOnly != 0
		f.SupportsReset = f.SupportsReset || b&flagSupportsReset != 0
	}
	return f
}

func (f *SyncFlags) encode() []byte {
	bits := byte(flagsMark)
	if f.Reset {
		bits |= flagReset
	}
	if f.ReadOnly {
		bits |= flagReadOnly
	}
	if f.SupportsReset {
		bits |= flagSupportsReset
	}
	return []byte{2, legacyV2Flag, bits}
}

// Encode writes the message. Lists of hashes are written as they are: the
// protocol wants them ascending.
func (m *SyncMessage) Encode() []byte {
	size := 0
	for _, change := range m.Changes {
		size += 10 + len(change)
	}
	out := m.appendStart(size)
	out = appendUleb(out, uint64(len(m.Changes)))
	for _, change := range m.Changes {
		out = append(appendUleb(out, uint64(len(change))), change...)
	}
	return m.appendEnd(out)
}

// EncodeFile is Encode of a message of version 2 whose changes are one file: the
// chunks in this order. They are copied once.
func (m *SyncMessage) EncodeFile(chunks ...[]byte) []byte {
	size := 0
	for _, chunk := range chunks {
		size += len(chunk)
	}
	out := m.appendStart(10 + size)
	out = append(out, 1) // one entry
	out = appendUleb(out, uint64(size))
	for _, chunk := range chunks {
		out = append(out, chunk...)
	}
	return m.appendEnd(out)
}

// appendStart returns what goes before the changes, with room for them.
func (m *SyncMessage) appendStart(room int) []byte {
	size := 64 + room + 32*(len(m.Heads)+len(m.Need))
	for i := range m.Have {
		size += 32 + 32*len(m.Have[i].LastSync) + len(m.Have[i].Bloom.bits)
	}
	out := append(make([]byte, 0, size), byte(syncV1+m.Version-1))
	out = appendHashes(out, m.Heads)
	out = appendHashes(out, m.Need)
	out = appendUleb(out, uint64(len(m.Have)))
	for i := range m.Have {
		out = appendHashes(out, m.Have[i].LastSync)
		bloom := m.Have[i].Bloom.appendTo(nil)
		out = append(appendUleb(out, uint64(len(bloom))), bloom...)
	}
	return out
}

// appendEnd appends what goes behind the changes.
func (m *SyncMessage) appendEnd(out []byte) []byte {
	if m.Flags != nil {
		out = append(out, m.Flags.encode()...)
	}
	return out
}

// EncodeSyncState writes the heads shared with a peer, the part of a sync
// state that outlives a connection.
func EncodeSyncState(shared kaijutsu.Heads) []byte {
	return appendHashes([]byte{syncState}, shared)
}

// DecodeSyncState undoes EncodeSyncState. Errors are *RuleError and wrap
// kaijutsu.ErrInvalid or kaijutsu.ErrTooLarge.
func DecodeSyncState(data []byte) (kaijutsu.Heads, error) {
	if len(data) == 0 || data[0] != syncState {
		return nil, broken(28, "not a sync state")
	}
	r := reader{rest: data[1:]}
	shared := r.hashes(MaxSyncHashes)
	switch {
	case r.err != nil:
		return nil, at("sync state", r.err)
	case len(r.rest) > 0:
		return nil, broken(28, "%d bytes after the sync state", len(r.rest))
	}
	return kaijutsu.NewHeads(shared...), nil
}
