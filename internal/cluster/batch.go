package cluster

import (
	"fmt"
	"maps"
	"slices"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

// The kinds of what nodes send each other: the first byte of each.
const (
	kindBatch    = 0x01 // changes of a document
	kindNotice   = 0x02 // a document has changes that are too large to send
	kindAnnounce = 0x03 // the digest of all documents of a node
	kindWho      = 0x04 // asks who has a document
	kindHas      = 0x05 // says that the node has it
	kindSince    = 0x06 // asks for what documents have gained
	kindEnd      = 0x07 // ends the changes of one document
	kindList     = 0x08 // asks for the documents of some buckets
	kindListed   = 0x09 // some of them
	kindFind     = 0x0a // asks for the documents that go by a name
	kindFound    = 0x0b // says which do, on the node
)

// The limits of one message.
const (
	maxDocBytes  = 32
	maxHeads     = 1000 // as package changegraph has it
	maxHave      = maxHeads + 64
	maxChanges   = 4096 // in a batch
	maxName      = 64   // bytes of a principal's name
	maxNode      = 64   // bytes of a node's id
	maxRawBytes  = amfile.MaxChunkBytes + 64
	maxAskDocs   = 256  // documents in one question
	maxListed    = 2048 // documents in one part of an answer
	maxCounter   = 1 << 53
	batchBytes   = 400 << 10 // what a batch between nodes is filled up to
	noticeBytes  = batchBytes
	batchChanges = 1024
)

// batch is some changes of a document in the order of its origin's log.
type batch struct {
	doc kaijutsu.DocumentID
	// origin is where the document comes from, when the batch is for a node
	// that does not have it.
	origin  repo.Origin
	hashes  []kaijutsu.ChangeHash
	signers map[kaijutsu.ActorID]repo.Signer
	raws    [][]byte // alias the message they came in
}

// kinds of principals as a batch numbers them; 0 is nobody.
var principalKinds = []kaijutsu.PrincipalKind{"", kaijutsu.Person, kaijutsu.Agent, kaijutsu.Service}

func (w *writer) principal(p kaijutsu.Principal) {
	if p.IsZero() {
		w.byte(0)
		return
	}
	w.byte(byte(max(slices.Index(principalKinds, p.Kind), 0)))
	w.text(p.Name)
}

func (r *reader) principal() kaijutsu.Principal {
	kind := r.byte()
	if kind == 0 || r.err != nil {
		return kaijutsu.Principal{}
	}
	if int(kind) >= len(principalKinds) {
		r.fail("a principal is of kind %d", kind)
		return kaijutsu.Principal{}
	}
	name := r.bytes(maxName)
	if len(name) == 0 {
		r.fail("a principal has no name")
	}
	return kaijutsu.Principal{Name: string(name), Kind: principalKinds[kind]}
}

// bits of an origin.
const (
	originBase   = 1
	originAnchor = 2
)

func (w *writer) origin(o repo.Origin) {
	var bits byte
	if o.Base != nil {
		bits |= originBase
	}
	if o.Anchor != (kaijutsu.ChangeHash{}) {
		bits |= originAnchor
	}
	w.byte(bits)
	if o.Base != nil {
		w.doc(o.Base.Doc)
		w.hashes(o.Base.Heads)
		w.uint(o.Base.Changes)
	}
	if bits&originAnchor > 0 {
		w.b = append(w.b, o.Anchor[:]...)
	}
}

func (r *reader) origin(of kaijutsu.DocumentID) (o repo.Origin) {
	bits := r.byte()
	if bits > originBase|originAnchor {
		r.fail("its origin is %d", bits)
	}
	if bits&originBase > 0 {
		o.Base = &store.Base{Doc: r.doc(), Heads: r.heads(maxHeads), Changes: r.uint(maxCounter)}
		if len(o.Base.Heads) == 0 || o.Base.Changes == 0 || o.Base.Doc == of {
			r.fail("its base is none")
		}
	}
	if bits&originAnchor > 0 {
		copy(o.Anchor[:], r.fixed(len(o.Anchor)))
		if o.Anchor == (kaijutsu.ChangeHash{}) {
			r.fail("its anchor is none")
		}
	}
	return o
}

// encode writes
//
//	kind, document, origin (bits: 1 base, 2 anchor), base (document, heads,
//	changes), anchor, hashes, signers (actor, principal, via; ascending by
//	actor), raw changes
//
// with lengths and counts before what they count. The hashes come first so
// that a duplicate costs nothing but reading them.
func (b *batch) encode() []byte {
	size := 256 + 34*len(b.hashes)
	for _, raw := range b.raws {
		size += len(raw) + 4
	}
	w := writer{b: make([]byte, 0, size)}
	w.byte(kindBatch)
	w.doc(b.doc)
	w.origin(b.origin)
	w.hashes(b.hashes)
	w.uint(uint64(len(b.signers)))
	for _, actor := range slices.Sorted(maps.Keys(b.signers)) {
		w.text(string(actor))
		w.principal(b.signers[actor].By)
		w.principal(b.signers[actor].Via)
	}
	for _, raw := range b.raws {
		w.bytes(raw)
	}
	return w.b
}

// decodeBatch takes a batch apart without looking into its changes, which
// alias data. The error wraps kaijutsu.ErrInvalid.
func decodeBatch(data []byte) (*batch, error) {
	r := reader{b: data}
	if r.byte() != kindBatch {
		r.fail("it is no batch")
	}
	b := &batch{doc: r.doc()}
	b.origin = r.origin(b.doc)
	b.hashes = r.hashes(maxChanges)
	if len(b.hashes) == 0 {
		r.fail("it has no changes")
	}
	b.signers = r.signers(len(b.hashes))
	if r.err == nil {
		b.raws = make([][]byte, len(b.hashes))
	}
	for i := range b.raws {
		if b.raws[i] = r.bytes(maxRawBytes); len(b.raws[i]) == 0 {
			r.fail("change %d is empty", i)
		}
	}
	if err := r.done(); err != nil {
		return nil, fmt.Errorf("batch: %w", err)
	}
	return b, nil
}

func (r *reader) signers(limit int) map[kaijutsu.ActorID]repo.Signer {
	n := int(r.uint(uint64(limit)))
	if n == 0 || r.err != nil {
		return nil
	}
	signers := make(map[kaijutsu.ActorID]repo.Signer, n)
	last := kaijutsu.ActorID("")
	for range n {
		actor := kaijutsu.ActorID(r.bytes(amfile.MaxActorBytes))
		s := repo.Signer{By: r.principal(), Via: r.principal()}
		if actor <= last {
			r.fail("actors do not ascend")
		}
		if r.err != nil {
			return nil
		}
		if s.By.IsZero() && s.Via.IsZero() {
			r.fail("nobody signs for an actor")
			return nil
		}
		signers[actor], last = s, actor
	}
	return signers
}

// add puts a change at the end of the batch.
func (b *batch) add(c repo.Change) {
	b.hashes = append(b.hashes, c.Hash)
	b.raws = append(b.raws, c.Raw)
	if c.By.IsZero() && c.Via.IsZero() {
		return
	}
	if b.signers == nil {
		b.signers = make(map[kaijutsu.ActorID]repo.Signer)
	}
	b.signers[c.Author()] = repo.Signer{By: c.By, Via: c.Via}
}

// changeBytes is what a change takes in a batch, at most: hash, length, bytes
// and its actor's principals.
func changeBytes(raw int) int { return raw + 32 + 8 + amfile.MaxActorBytes + 2*(maxName+2) }

// decodeChanges decodes the changes that are wanted, and holds each against
// the hash that the batch gave for it.
func (b *batch) decodeChanges(want func(i int) bool) ([]*amfile.Change, error) {
	var changes []*amfile.Change
	for i, raw := range b.raws {
		if !want(i) {
			continue
		}
		c, err := amfile.DecodeChange(raw)
		if err != nil {
			return nil, fmt.Errorf("change %d of %d: %w", i, len(b.raws), err)
		}
		if c.Hash != b.hashes[i] {
			return nil, fmt.Errorf("change %d of %d has hash %v, was said to have %v: %w", i, len(b.raws), c.Hash, b.hashes[i], kaijutsu.ErrInvalid)
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// split puts changes into batches of at most batchBytes. One change that is
// larger is a batch of its own. The base goes with the first: the document is
// there for the others.
func split(doc kaijutsu.DocumentID, origin repo.Origin, changes []repo.Change) []*batch {
	var batches []*batch
	b, size := &batch{doc: doc, origin: origin}, 0
	for _, c := range changes {
		n := changeBytes(len(c.Raw))
		if len(b.hashes) > 0 && (size+n > batchBytes || len(b.hashes) == batchChanges) {
			batches = append(batches, b)
			b, size = &batch{doc: doc, origin: repo.Origin{Anchor: origin.Anchor}}, 0
		}
		b.add(c)
		size += n
	}
	if len(b.hashes) > 0 {
		batches = append(batches, b)
	}
	return batches
}
