package examine

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"

	"kaijutsu"
)

// Job is a document to be examined.
type Job struct {
	// Layers are what the document rests on, the lowest first, and last the
	// document itself. There is at least one.
	Layers []Layer
	// New are changes that are not in it, tried in this order when the document
	// is sound.
	New [][]byte
}

// Layer is a document as the store has it.
type Layer struct {
	// Snapshot is a document chunk, nil for none: all changes up to those of
	// Changes, with what the layer rests on.
	Snapshot []byte
	Changes  [][]byte
	// Upto are the heads up to which the next layer rests on this one.
	Upto kaijutsu.Heads
}

// maxPiece bounds one piece of a job, as the child reads it.
const maxPiece = 1 << 30

func (j *Job) write(to io.Writer) error {
	w := bufio.NewWriterSize(to, 64<<10)
	number := func(n int) { _, _ = w.Write(binary.AppendUvarint(nil, uint64(n))) } // errors stay with w
	piece := func(b []byte) {
		number(len(b))
		_, _ = w.Write(b)
	}
	pieces := func(list [][]byte) {
		number(len(list))
		for _, b := range list {
			piece(b)
		}
	}
	number(len(j.Layers))
	for i := range j.Layers {
		l := &j.Layers[i]
		piece(l.Snapshot)
		pieces(l.Changes)
		number(len(l.Upto))
		for k := range l.Upto {
			piece(l.Upto[k][:])
		}
	}
	pieces(j.New)
	return w.Flush()
}

// jobReader reads what write wrote.
type jobReader struct {
	r   *bufio.Reader
	err error
}

func (r *jobReader) number(most uint64) int {
	n, err := binary.ReadUvarint(r.r)
	if err == nil && n > most {
		err = fmt.Errorf("%d of something, at most %d: %w", n, most, kaijutsu.ErrTooLarge)
	}
	if r.err == nil {
		r.err = err
	}
	if r.err != nil {
		return 0
	}
	return int(n)
}

func (r *jobReader) piece() []byte {
	b := make([]byte, r.number(maxPiece))
	if _, err := io.ReadFull(r.r, b); err != nil && r.err == nil {
		r.err = err
	}
	return b
}

func (r *jobReader) pieces() [][]byte {
	var list [][]byte
	for n := r.number(1 << 30); n > 0 && r.err == nil; n-- {
		list = append(list, r.piece())
	}
	return list
}

func readJob(from io.Reader) (Job, error) {
	r := jobReader{r: bufio.NewReaderSize(from, 64<<10)}
	var j Job
	for n := r.number(1 << 10); n > 0 && r.err == nil; n-- {
		l := Layer{Snapshot: r.piece(), Changes: r.pieces()}
		for k := r.number(1 << 20); k > 0 && r.err == nil; k-- {
			var h kaijutsu.ChangeHash
			copy(h[:], r.piece())
			l.Upto = append(l.Upto, h)
		}
		j.Layers = append(j.Layers, l)
	}
	j.New = r.pieces()
	return j, r.err
}
