package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"kaijutsu"
	"kaijutsu/internal/store"
)

// Sent says what a stream held.
type Sent struct {
	Documents uint64
	Damaged   uint64   // documents that could not be read
	Bytes     uint64   // of documents and records
	Sum       [32]byte // of the stream
}

// Send writes the store as it is now as a stream: of documents that the receiver
// has only what is new. A document that cannot be read costs only itself: the
// stream says which and why. It reads one document at a time and heeds ctx
// between them.
func Send(ctx context.Context, w io.Writer, st *store.Store, have Have, from Source) (Sent, error) {
	m, err := st.Moment(ctx)
	if err != nil {
		newFrames(w).fail(err)
		return Sent{}, fmt.Errorf("back up: %w", err)
	}
	defer m.Close()
	s := sending{ctx: ctx, m: m, have: have, out: newFrames(w)}
	if have.Storage != st.StorageID() {
		s.have = Have{}
	}
	header, err := json.Marshal(Header{
		Format: Format, Storage: st.StorageID(), Kernel: from.Kernel, Version: from.Version, At: from.Now.UTC(),
		Counter: m.Counter(), Documents: m.Documents(), NextOutbox: m.NextOutbox(),
	})
	if err == nil {
		err = s.out.put(frameHeader, header)
	}
	for _, part := range []func() error{s.documents, s.records, s.deleted} {
		if err == nil {
			err = part()
		}
	}
	if err == nil {
		s.sent.Sum, err = s.out.end()
	}
	if err != nil {
		s.out.fail(err)
		return s.sent, fmt.Errorf("back up: %w", err)
	}
	return s.sent, nil
}

// sending is one stream on its way.
type sending struct {
	ctx  context.Context
	m    *store.Moment
	have Have
	out  *frames
	sent Sent
}

func (s *sending) documents() error {
	for x, err := range s.m.Extents() {
		if ctxErr := context.Cause(s.ctx); ctxErr != nil {
			return ctxErr
		}
		switch {
		case err == nil:
			err = s.document(x)
		case errors.Is(err, store.ErrDamaged) && x.Doc.IsZero():
			return s.out.put(frameUnlisted, []byte(err.Error()))
		}
		if errors.Is(err, store.ErrDamaged) {
			s.sent.Damaged++
			e := encoder{}
			e.bytes(x.Doc.Bytes())
			e.bytes([]byte(err.Error()))
			err = s.out.put(frameDamaged, e.b)
		}
		if err != nil {
			return err
		}
		s.sent.Documents++
	}
	return nil
}

// document sends what the receiver lacks of a document.
func (s *sending) document(x store.Extent) error {
	had, ok := s.have.docs[x.Doc]
	if ok && !had.again && sameOrigin(had.extent, x) {
		if had.extent.Changes == x.Changes && had.extent.Actors == x.Actors && had.heads == digestHeads(x.Heads) {
			return s.out.put(frameSame, x.Doc.Bytes())
		}
		piece, err := s.tail(x, had)
		if err != nil {
			return err
		}
		if piece != nil {
			return s.piece(*piece)
		}
	}
	d, err := s.m.Load(s.ctx, x.Doc)
	if err != nil {
		return err
	}
	return s.piece(wholePiece(x, d))
}

func (s *sending) piece(p Piece) error {
	b := p.encode()
	s.sent.Bytes += uint64(len(b))
	return s.out.put(framePiece, b)
}

// tail returns the end of a document behind what is had, nil when what is had is
// not the beginning of the log as it is here.
func (s *sending) tail(x store.Extent, had had) (*Piece, error) {
	from, whole := had.extent.Changes, had.extent.Covers == had.extent.Changes
	if from > x.Changes || from < x.Covers || had.extent.Actors > x.Actors {
		return nil, nil
	}
	begin := from
	switch {
	case whole && from == x.Covers: // all that is had is in the snapshot: it must be the same
		d, err := s.m.Load(s.ctx, x.Doc)
		if err != nil {
			return nil, err
		}
		if d.Snapshot == nil || sum(d.Snapshot.Chunk) != had.last {
			return nil, nil
		}
	case whole || from == x.Covers: // the change before is not at hand
		return nil, nil
	default:
		begin = from - 1
	}
	log, who, err := s.m.Tail(s.ctx, x.Doc, begin, 0)
	if err != nil {
		return nil, err
	}
	if begin < from {
		if len(log) == 0 || log[0].Hash != kaijutsu.ChangeHash(had.last) {
			return nil, nil
		}
		log = log[1:]
	}
	p := Piece{Extent: x, Tail: true, From: from, FromActor: had.extent.Actors, Last: had.last, Authors: digestActors(who), Log: log}
	if len(log) > 0 {
		p.Last = log[len(log)-1].Hash
	}
	if p.Who = who[had.extent.Actors:]; len(log)+len(p.Who) == 0 {
		return nil, nil
	}
	return &p, nil
}

func (s *sending) records() error {
	for r, err := range s.m.Records() {
		if err == nil {
			err = context.Cause(s.ctx)
		}
		if err != nil {
			return err
		}
		e := encoder{}
		e.string(r.Name)
		e.bytes(r.Value)
		s.sent.Bytes += uint64(len(e.b))
		if err := s.out.put(frameRecord, e.b); err != nil {
			return err
		}
	}
	return nil
}

func (s *sending) deleted() error {
	for doc, err := range s.m.Deleted() {
		if err == nil {
			err = s.out.put(frameDeleted, doc.Bytes())
		}
		if err != nil {
			return err
		}
	}
	return nil
}
