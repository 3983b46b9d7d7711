package amfile

import (
	"bytes"
	"crypto/sha256"

	"kaijutsu"
)

// ChunkType is the type byte of a chunk.
type ChunkType uint8

// The chunk types of the format.
const (
	ChunkDocument ChunkType = 0
	ChunkChange   ChunkType = 1
	ChunkDeflated ChunkType = 2 // a change whose body is deflated
	ChunkBundle   ChunkType = 3 // experimental
)

// chunkMagic begins every chunk; checksum and type byte follow.
var chunkMagic = [4]byte{0x85, 0x6f, 0x4a, 0x83}

// chunkPrefixBytes is what precedes the body's length in a chunk.
const chunkPrefixBytes = len(chunkMagic) + 4 + 1

// Chunk is one chunk of a file or message, its checksum verified.
type Chunk struct {
	Type ChunkType
	// Hash is the SHA-256 that the checksum is the front of; for changes,
	// deflated ones too, the change hash.
	Hash kaijutsu.ChangeHash
	// Raw is the whole chunk as it was found. It aliases the input.
	Raw []byte
	// Body follows the length. It aliases Raw, unless the chunk is a deflated
	// change: then it is the inflated body.
	Body []byte
}

// SplitChunks walks a file: chunks one after the other, nothing between and
// nothing behind. It verifies types and checksums; what the bodies hold is not
// looked at. All deflated changes together may inflate to MaxInflatedBytes.
func SplitChunks(b []byte) ([]Chunk, error) {
	var chunks []Chunk
	budget := MaxInflatedBytes
	for len(b) > 0 {
		if len(chunks) == MaxChunks {
			return nil, tooLarge(1, "more than %d chunks", MaxChunks)
		}
		chunk, rest, err := readChunk(b, budget)
		if err != nil {
			return nil, err
		}
		if chunk.Type == ChunkDeflated {
			budget -= len(chunk.Body)
		}
		chunks, b = append(chunks, chunk), rest
	}
	return chunks, nil
}

// readChunk takes one chunk off the front of b and verifies its checksum. A
// deflated change may grow to limit bytes, and to MaxInflationRatio times its
// size when that is above FreeInflation.
func readChunk(b []byte, limit int) (chunk Chunk, rest []byte, err error) {
	if len(b) < chunkPrefixBytes+1 {
		return chunk, nil, broken(1, "chunk of %d bytes is cut short", len(b))
	}
	if [4]byte(b) != chunkMagic {
		return chunk, nil, broken(1, "chunk does not begin with the magic bytes")
	}
	chunk.Type = ChunkType(b[chunkPrefixBytes-1])
	if chunk.Type > ChunkBundle {
		return chunk, nil, broken(1, "unknown chunk type %d", chunk.Type)
	}
	r := reader{rest: b[chunkPrefixBytes:]}
	size := r.uint()
	if r.err == nil && size > maxBytes(chunk.Type) {
		return chunk, nil, tooLarge(2, "chunk of %d bytes: want at most %d", size, maxBytes(chunk.Type))
	}
	chunk.Body = r.take(size)
	if r.err != nil {
		return chunk, nil, at("chunk", r.err)
	}
	chunk.Raw = b[: len(b)-len(r.rest) : len(b)-len(r.rest)]
	hashed := chunk.Raw[chunkPrefixBytes-1:]
	if chunk.Type == ChunkDeflated {
		limit = min(limit, max(FreeInflation, MaxInflationRatio*len(chunk.Body)))
		if chunk.Body, err = inflate(chunk.Body, limit); err != nil {
			return chunk, nil, err
		}
		hashed = appendBody(nil, ChunkChange, chunk.Body)
	}
	chunk.Hash = sha256.Sum256(hashed)
	if !bytes.Equal(chunk.Hash[:4], b[4:8]) {
		return chunk, nil, broken(1, "checksum does not match")
	}
	return chunk, r.rest, nil
}

// maxBytes bounds the body of a chunk as it is on the wire.
func maxBytes(typ ChunkType) uint64 {
	if typ == ChunkDocument {
		return MaxDocumentBytes
	}
	return MaxChunkBytes
}

// appendBody appends the part of a chunk that is hashed.
func appendBody(dst []byte, typ ChunkType, body []byte) []byte {
	dst = append(dst, byte(typ))
	dst = appendUleb(dst, uint64(len(body)))
	return append(dst, body...)
}

// appendChunk appends a whole chunk and returns its hash with the result.
func appendChunk(dst []byte, typ ChunkType, body []byte) ([]byte, kaijutsu.ChangeHash) {
	start := len(dst)
	dst = append(dst, chunkMagic[:]...)
	dst = append(dst, 0, 0, 0, 0)
	dst = appendBody(dst, typ, body)
	hash := kaijutsu.ChangeHash(sha256.Sum256(dst[start+chunkPrefixBytes-1:]))
	copy(dst[start+4:], hash[:4])
	return dst, hash
}
