package cluster

import (
	"crypto/sha256"
	"encoding/binary"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"kaijutsu"
)

// buckets is how many sums the documents are spread over.
const buckets = 256

// digest says what a node holds, in few bytes: for each bucket the exclusive
// or of a hash of every document in it and its heads. Two nodes with equal
// digests hold the same.
type digest struct {
	mu        sync.Mutex
	bucket    [buckets]bucket
	documents uint64
	gone      map[kaijutsu.DocumentID]bool // deleted while the digest is filled; nil later
}

type bucket struct {
	sum   uint64
	moved time.Time // when it last changed
	docs  map[kaijutsu.DocumentID]uint64
}

func newDigest() *digest { return &digest{gone: make(map[kaijutsu.DocumentID]bool)} }

// bucketOf returns the bucket of a document.
func bucketOf(doc kaijutsu.DocumentID) int {
	sum := sha256.Sum256(doc.Bytes())
	return int(sum[0])
}

// sumOf is the hash of a document and its heads; never 0.
func sumOf(doc kaijutsu.DocumentID, heads kaijutsu.Heads) uint64 {
	b := append(make([]byte, 0, 33+32*len(heads)), byte(len(doc.Bytes())))
	b = append(b, doc.Bytes()...)
	for i := range heads {
		b = append(b, heads[i][:]...)
	}
	sum := sha256.Sum256(b)
	return binary.BigEndian.Uint64(sum[:]) | 1
}

// fill notes what was there at the start, unless something newer was noted.
func (d *digest) fill(doc kaijutsu.DocumentID, heads kaijutsu.Heads) {
	i, sum := bucketOf(doc), sumOf(doc, heads)
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, known := d.bucket[i].docs[doc]; !known && !d.gone[doc] {
		d.put(i, doc, sum)
	}
}

// filled ends the filling.
func (d *digest) filled() {
	d.mu.Lock()
	d.gone = nil
	d.mu.Unlock()
}

// note keeps up with a document that has these heads now.
func (d *digest) note(doc kaijutsu.DocumentID, heads kaijutsu.Heads, now time.Time) {
	i, sum := bucketOf(doc), sumOf(doc, heads)
	d.mu.Lock()
	d.put(i, doc, sum)
	d.bucket[i].moved = now
	d.mu.Unlock()
}

func (d *digest) put(i int, doc kaijutsu.DocumentID, sum uint64) {
	b := &d.bucket[i]
	if b.docs == nil {
		b.docs = make(map[kaijutsu.DocumentID]uint64)
	}
	old, known := b.docs[doc]
	if !known {
		d.documents++
	}
	b.sum ^= old ^ sum
	b.docs[doc] = sum
}

// drop forgets a document that was deleted.
func (d *digest) drop(doc kaijutsu.DocumentID, now time.Time) {
	i := bucketOf(doc)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.gone != nil {
		d.gone[doc] = true
	}
	b := &d.bucket[i]
	if old, known := b.docs[doc]; known {
		b.sum ^= old
		b.moved = now
		delete(b.docs, doc)
		d.documents--
	}
}

// sums returns what to announce.
func (d *digest) sums() (sums [buckets]uint64, documents uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range d.bucket {
		sums[i] = d.bucket[i].sum
	}
	return sums, d.documents
}

// moved returns when a bucket last changed.
func (d *digest) moved(i int) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.bucket[i].moved
}

// sum returns what is known of a document, 0 when it is not here.
func (d *digest) sum(doc kaijutsu.DocumentID) uint64 {
	i := bucketOf(doc)
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.bucket[i].docs[doc]
}

// list returns the documents of some buckets, bucket by bucket.
func (d *digest) list(of which) iter.Seq[kaijutsu.DocumentID] {
	return func(yield func(kaijutsu.DocumentID) bool) {
		for i := range buckets {
			if !of.has(i) {
				continue
			}
			for _, doc := range d.listBucket(i) {
				if !yield(doc) {
					return
				}
			}
		}
	}
}

func (d *digest) listBucket(i int) []kaijutsu.DocumentID {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Collect(maps.Keys(d.bucket[i].docs))
}
