package amfile

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"unicode/utf8"

	"kaijutsu"
)

// Header is what a change says of itself before its operations.
type Header struct {
	Hash    kaijutsu.ChangeHash
	Deps    []kaijutsu.ChangeHash
	Author  kaijutsu.ActorID
	Seq     uint64
	StartOp uint64
	NumOps  uint64
	Time    int64 // Unix seconds; clients may write any value
	Message string
}

// MaxOp returns the counter of the last operation, StartOp-1 when there is none.
func (h *Header) MaxOp() uint64 { return h.StartOp + h.NumOps - 1 }

// DecodeHeader reads the header of a stored, uncompressed change. It verifies
// framing and checksum and counts the operations; it does not apply the rules,
// so it is for chunks that DecodeChange or DecodeDocument has accepted before.
// Errors wrap kaijutsu.ErrInvalid or kaijutsu.ErrTooLarge. The result does not
// alias chunk.
func DecodeHeader(chunk []byte) (Header, error) {
	hash, body, err := readChange(chunk)
	if err != nil {
		return Header{}, err
	}
	r := reader{rest: body}
	raw := readHeader(&r)
	var table columnTable
	table.readHeader(&r, changeOpColumns, false)
	table.readData(&r)
	if r.err != nil {
		return Header{}, r.err
	}
	ops, _, err := countUints(table.get(colAction), MaxOps, maxSum)
	if err != nil {
		return Header{}, err
	}
	h := Header{
		Hash: hash, Deps: raw.deps(nil), Author: kaijutsu.ActorID(raw.author),
		Seq: raw.seq, StartOp: raw.startOp, NumOps: ops, Time: raw.time, Message: string(raw.message),
	}
	return h, nil
}

// readChange takes an uncompressed change apart into its hash and body.
func readChange(chunk []byte) (hash kaijutsu.ChangeHash, body []byte, err error) {
	if len(chunk) < chunkPrefixBytes || ChunkType(chunk[chunkPrefixBytes-1]) != ChunkChange {
		return hash, nil, broken(1, "not an uncompressed change chunk")
	}
	r := reader{rest: chunk[chunkPrefixBytes:]}
	body = r.prefixed()
	switch {
	case r.err != nil:
		return hash, nil, at("chunk", r.err)
	case len(r.rest) > 0:
		return hash, nil, broken(1, "%d bytes after the chunk", len(r.rest))
	case [4]byte(chunk) != chunkMagic:
		return hash, nil, broken(1, "chunk does not begin with the magic bytes")
	}
	hash = sha256.Sum256(chunk[chunkPrefixBytes-1:])
	if !bytes.Equal(hash[:4], chunk[4:8]) {
		return hash, nil, broken(1, "checksum does not match")
	}
	return hash, body, nil
}

// rawHeader holds the fields before the column table as they are in the chunk.
type rawHeader struct {
	depBytes []byte
	named    []byte // from the author to the last of the other actors
	author   []byte
	seq      uint64
	startOp  uint64
	time     int64
	message  []byte
	said     int    // where the message ends in named
	others   []byte // each with its length
	othersN  int
}

func readHeader(r *reader) rawHeader {
	var h rawHeader
	depsN := r.count(len(kaijutsu.ChangeHash{}), MaxChunkBytes)
	if depsN > MaxDeps {
		r.fail(tooLarge(10, "%d dependencies: want at most %d", depsN, MaxDeps))
	}
	h.depBytes = r.take(uint64(depsN * len(kaijutsu.ChangeHash{})))
	size := r.uint()
	h.named = r.rest
	h.author = r.take(size)
	h.seq, h.startOp, h.time = r.uint(), r.uint(), r.int()
	h.message = r.prefixed()
	said := len(r.rest)
	h.othersN = r.count(1, MaxChunkBytes)
	if h.othersN > MaxOtherActors {
		r.fail(tooLarge(7, "%d other actors: want at most %d", h.othersN, MaxOtherActors))
		return h
	}
	h.others = r.rest
	for range h.othersN {
		r.prefixed()
	}
	if r.err == nil {
		h.said = len(h.named) - said
		h.named = h.named[:len(h.named)-len(r.rest)]
		h.others = h.others[:len(h.others)-len(r.rest)]
	}
	return h
}

// deps copies the dependencies into room, or into a new slice when it is too small.
func (h *rawHeader) deps(room []kaijutsu.ChangeHash) []kaijutsu.ChangeHash {
	const size = len(kaijutsu.ChangeHash{})
	n := len(h.depBytes) / size
	switch {
	case n == 0:
		return nil
	case n > cap(room):
		room = make([]kaijutsu.ChangeHash, n)
	}
	room = room[:n:n]
	for i := range room {
		room[i] = kaijutsu.ChangeHash(h.depBytes[i*size:])
	}
	return room
}

// actors returns the author and the other actors as parts of named, which is
// h.named as a string.
func (h *rawHeader) actors(named string, room []kaijutsu.ActorID) []kaijutsu.ActorID {
	if 1+h.othersN > cap(room) {
		room = make([]kaijutsu.ActorID, 0, 1+h.othersN)
	}
	room = append(room[:0], kaijutsu.ActorID(named[:len(h.author)]))
	rest := h.others
	for range h.othersN {
		size, n := uleb(rest)
		start := len(named) - len(rest) + n
		room = append(room, kaijutsu.ActorID(named[start:start+int(size)]))
		rest = rest[n+int(size):]
	}
	return room[:len(room):len(room)]
}

// checkHeader applies the rules on all but the operations.
func (c *Change) checkHeader() error {
	switch {
	case len(c.Deps) > MaxDeps:
		return tooLarge(10, "%d dependencies: want at most %d", len(c.Deps), MaxDeps)
	case c.Seq < 1 || c.Seq > MaxSeq:
		return broken(9, "sequence number %d: want 1 to %d", c.Seq, uint64(MaxSeq))
	case c.StartOp < 1 || c.StartOp > MaxCounter || c.StartOp+uint64(len(c.Ops)) > MaxCounter+1:
		return broken(12, "operations %d to %d: want 1 to %d", c.StartOp, c.MaxOp(), MaxCounter)
	case c.Time <= -MaxTimeSeconds || c.Time >= MaxTimeSeconds:
		return broken(13, "time of %d seconds: want less than 2^53 either way", c.Time)
	case len(c.Message) > MaxMessageBytes:
		return tooLarge(14, "message of %d bytes: want at most %d", len(c.Message), MaxMessageBytes)
	case !utf8.ValidString(c.Message):
		return broken(14, "message is not UTF-8")
	}
	for i := 1; i < len(c.Deps); i++ {
		if c.Deps[i-1].Compare(c.Deps[i]) >= 0 {
			return broken(10, "dependencies do not ascend")
		}
	}
	if err := c.checkActors(); err != nil {
		return err
	}
	return c.checkExtra()
}

func (c *Change) checkActors() error {
	if len(c.Actors) > 1+MaxOtherActors {
		return tooLarge(7, "%d other actors: want at most %d", len(c.Actors)-1, MaxOtherActors)
	}
	for i, actor := range c.Actors {
		switch {
		case len(actor) < 1 || len(actor) > MaxActorBytes:
			return broken(7, "actor of %d bytes: want 1 to %d", len(actor), MaxActorBytes)
		case i > 0 && actor == c.Actors[0]:
			return broken(8, "author listed among the other actors")
		case i > 1 && strings.Compare(string(c.Actors[i-1]), string(actor)) >= 0:
			return broken(8, "other actors do not ascend")
		}
	}
	return nil
}

// checkExtra allows what follows the columns to be an author footer (the
// number 1, a length, that many bytes) on an actor's first change only.
func (c *Change) checkExtra() error {
	if len(c.Extra) == 0 {
		return nil
	}
	if len(c.Extra) > MaxExtraBytes {
		return tooLarge(26, "%d bytes after the columns: want at most %d", len(c.Extra), MaxExtraBytes)
	}
	r := reader{rest: c.Extra}
	kind := r.uint()
	r.prefixed()
	switch {
	case r.err != nil || kind != 1 || len(r.rest) > 0:
		return broken(26, "%d bytes after the columns are no author footer", len(c.Extra))
	case c.Seq != 1:
		return broken(26, "author footer on change %d of its actor", c.Seq)
	}
	return nil
}
