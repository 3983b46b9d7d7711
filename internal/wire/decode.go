package wire

import (
	"fmt"

	"kaijutsu"
)

// fields are all fields of all messages, undecoded.
type fields struct {
	Type        item `cbor:"type"`
	SenderID    item `cbor:"senderId"`
	TargetID    item `cbor:"targetId"`
	DocumentID  item `cbor:"documentId"`
	Data        item `cbor:"data"`
	Count       item `cbor:"count"`
	SessionID   item `cbor:"sessionId"`
	Metadata    item `cbor:"peerMetadata"`
	OldMetadata item `cbor:"metadata"` // as the protocol's README has it
	Versions    item `cbor:"supportedProtocolVersions"`
	Version     item `cbor:"selectedProtocolVersion"`
	Message     item `cbor:"message"`
	Add         item `cbor:"add"`
	Remove      item `cbor:"remove"`
	NewHeads    item `cbor:"newHeads"`
}

// Decode reads one frame. The message may alias the frame, which must not be
// written to afterwards.
//
// The error wraps ErrNotCBOR, or it is a *MessageError when the frame is CBOR
// but not a valid message.
func Decode(frame []byte) (Message, error) {
	var f fields
	if f.split(frame) {
		return f.decode()
	}
	general := new(fields)
	if err := general.unmarshal(frame); err != nil {
		return nil, err
	}
	return general.decode()
}

// decode reads the message of the fields.
func (f *fields) decode() (Message, error) {
	d := decoder{fields: f}
	d.kind = d.name("type", f.Type, MaxTypeBytes)
	if d.err != nil {
		return nil, d.err
	}
	m := d.message()
	if d.err != nil {
		return nil, d.err
	}
	return m, nil
}

// unmarshal reads the fields of any frame.
func (f *fields) unmarshal(frame []byte) error {
	if err := frameMode.Wellformed(frame); err != nil {
		return fmt.Errorf("%w: %w", ErrNotCBOR, err)
	}
	if !item(frame).isMap() {
		return &MessageError{Err: badType("a map")}
	}
	if err := frameMode.Unmarshal(frame, f); err != nil {
		return &MessageError{Err: fmt.Errorf("%w: %w", err, kaijutsu.ErrInvalid)}
	}
	return nil
}

// decoder reads fields and keeps the first error.
type decoder struct {
	*fields
	kind string
	err  *MessageError
}

// message reads the fields of the message's type.
func (d *decoder) message() Message {
	switch d.kind {
	case typeJoin:
		return d.join()
	case typePeer:
		return Peer{SenderID: d.sender(), TargetID: d.target(), Metadata: d.metadata(), Version: d.version()}
	case typeError:
		return Error{SenderID: d.sender(), TargetID: d.target(), Message: d.text("message", d.Message, MaxErrorBytes)}
	case typeRequest:
		return Request{SenderID: d.sender(), TargetID: d.target(), DocumentID: d.document(), Data: d.data()}
	case typeSync:
		return Sync{SenderID: d.sender(), TargetID: d.target(), DocumentID: d.document(), Data: d.data()}
	case typeDocUnavailable:
		return DocUnavailable{SenderID: d.sender(), TargetID: d.target(), DocumentID: d.document()}
	case typeEphemeral:
		return d.ephemeral()
	case typeSubscriptionChange:
		return SubscriptionChange{SenderID: d.sender(), TargetID: d.target(), Add: d.storageIDs("add", d.Add), Remove: d.storageIDs("remove", d.Remove)}
	case typeHeadsChanged:
		return HeadsChanged{SenderID: d.sender(), TargetID: d.target(), DocumentID: d.document(), Heads: d.heads()}
	case typeLeave:
		return Leave{SenderID: d.sender()}
	}
	sender, _ := d.SenderID.text(MaxPeerIDBytes) // whatever it is in a message we do not know
	return Unknown{Name: d.kind, SenderID: sender}
}

func (d *decoder) join() Message {
	m := Join{SenderID: d.sender(), Metadata: d.metadata()}
	versions, err := d.Versions.names(MaxVersions, maxVersionBytes)
	d.note("supportedProtocolVersions", err)
	if d.Versions.absent() {
		versions = []string{Version}
	}
	m.Versions = versions
	return m
}

func (d *decoder) ephemeral() Message {
	m := Ephemeral{
		SenderID:   d.sender(),
		TargetID:   d.target(),
		DocumentID: d.document(),
		SessionID:  d.name("sessionId", d.SessionID, MaxSessionIDBytes),
		Data:       d.data(),
	}
	var err error
	m.Count, err = d.Count.count()
	d.note("count", err)
	switch {
	case d.err != nil:
	case len(m.Data) > MaxEphemeralBytes:
		d.note("data", tooLong(len(m.Data), MaxEphemeralBytes, "bytes"))
	default:
		// Receivers decode it without a guard.
		if err := payloadMode.Wellformed(m.Data); err != nil {
			d.note("data", fmt.Errorf("%w: %w", ErrNotCBOR, err))
		}
	}
	return m
}

// heads reads newHeads: storage id → {heads, timestamp}.
func (d *decoder) heads() map[string]StorageHeads {
	if d.err != nil {
		return nil
	}
	heads, err := d.storageHeads()
	d.note("newHeads", err)
	return heads
}

func (d *decoder) storageHeads() (map[string]StorageHeads, error) {
	if d.NewHeads.absent() {
		return nil, errAbsent
	}
	var entries map[string]struct {
		Heads     item `cbor:"heads"`
		Timestamp item `cbor:"timestamp"`
	}
	if err := frameMode.Unmarshal(d.NewHeads, &entries); err != nil {
		return nil, badType("a map of maps by storage id")
	}
	if len(entries) > MaxStorageIDs {
		return nil, tooLong(len(entries), MaxStorageIDs, "storage ids")
	}
	total := 0
	all := make(map[string]StorageHeads, len(entries))
	for id, e := range entries {
		if id == "" || len(id) > MaxStorageIDBytes {
			return nil, tooLong(len(id), MaxStorageIDBytes, "bytes of storage id")
		}
		texts, err := e.Heads.names(MaxHeads, maxHeadBytes)
		if err != nil {
			return nil, fmt.Errorf("heads of %q: %w", id, err)
		}
		if total += len(texts); total > MaxHeads {
			return nil, tooLong(total, MaxHeads, "heads")
		}
		heads, err := parseHeads(texts)
		if err != nil {
			return nil, fmt.Errorf("heads of %q: %w", id, err)
		}
		millis, err := e.Timestamp.number()
		if err != nil {
			return nil, fmt.Errorf("timestamp of %q: %w", id, err)
		}
		all[id] = StorageHeads{Heads: heads, UnixMillis: millis}
	}
	return all, nil
}

// parseHeads reads heads as gossip writes them: bs58check.
func parseHeads(texts []string) (kaijutsu.Heads, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	hashes := make([]kaijutsu.ChangeHash, len(texts))
	for i, text := range texts {
		b, err := kaijutsu.DecodeBase58Check(text)
		if err != nil {
			return nil, fmt.Errorf("head %d: %w", i+1, err)
		}
		if len(b) != len(hashes[i]) {
			return nil, fmt.Errorf("head %d: %d bytes, want %d: %w", i+1, len(b), len(hashes[i]), kaijutsu.ErrInvalid)
		}
		copy(hashes[i][:], b)
	}
	return kaijutsu.NewHeads(hashes...), nil
}

func (d *decoder) metadata() Metadata {
	raw, field := d.Metadata, "peerMetadata"
	if raw.absent() {
		raw, field = d.OldMetadata, "metadata"
	}
	if raw.absent() {
		return Metadata{}
	}
	var f struct {
		StorageID item `cbor:"storageId"`
		Ephemeral item `cbor:"isEphemeral"`
	}
	if !raw.isMap() || frameMode.Unmarshal(raw, &f) != nil {
		d.note(field, badType("a map"))
		return Metadata{}
	}
	id, err := f.StorageID.optionalText(MaxStorageIDBytes)
	d.note(field+".storageId", err)
	ephemeral, err := f.Ephemeral.optionalBool()
	d.note(field+".isEphemeral", err)
	return Metadata{StorageID: id, Ephemeral: ephemeral}
}

func (d *decoder) sender() string   { return d.name("senderId", d.SenderID, MaxPeerIDBytes) }
func (d *decoder) document() string { return d.name("documentId", d.DocumentID, MaxDocumentIDBytes) }
func (d *decoder) version() string {
	return d.name("selectedProtocolVersion", d.Version, maxVersionBytes)
}

// target is not needed to route a message, so it may be absent.
func (d *decoder) target() string {
	s, err := d.TargetID.optionalText(MaxPeerIDBytes)
	d.note("targetId", err)
	return s
}

func (d *decoder) storageIDs(field string, it item) []string {
	ids, err := it.names(MaxStorageIDs, MaxStorageIDBytes)
	d.note(field, err)
	return ids
}

func (d *decoder) data() []byte {
	b, err := d.Data.bytes()
	d.note("data", err)
	return b
}

func (d *decoder) name(field string, it item, limit int) string {
	s, err := it.name(limit)
	d.note(field, err)
	return s
}

func (d *decoder) text(field string, it item, limit int) string {
	s, err := it.text(limit)
	d.note(field, err)
	return s
}

// note keeps the first error of a message.
func (d *decoder) note(field string, err error) {
	if err != nil && d.err == nil {
		d.err = &MessageError{Type: d.kind, Field: field, Err: err}
	}
}
