package repo

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"

	"kaijutsu"
	"kaijutsu/internal/store"
)

// Entry is one batch of changes in the journal: those numbered From to From+N-1
// in a document's log.
type Entry struct {
	// Seq is one more than that of the entry before, also across a crash.
	Seq     uint64
	Doc     kaijutsu.DocumentID
	From, N uint64
	// Remote says that other nodes brought the changes.
	Remote bool
}

// Journal lists the entries with Seq > after, ascending, as they are when it
// comes to them; it begins with the oldest when that is after (JournalEnds
// tells). It costs what it lists. After an error there is nothing more.
//
// An entry is written in the transaction that makes its changes durable. When
// the disk failed in the middle of one, that was refused and yet is found when
// the process starts again, its entry is found with it; when the process goes
// on, the number is given to the next batch.
func (r *Repo) Journal(after uint64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for row, err := range r.cfg.Store.Outbox(after) {
			var e Entry
			if err == nil {
				e, err = decodeEntry(row)
			}
			if err != nil {
				yield(Entry{}, fmt.Errorf("read the journal: %w", err))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// JournalEnds returns the numbers of the oldest and the last entry of the
// journal. When it is empty, first is last+1.
func (r *Repo) JournalEnds() (first, last uint64) { return r.cfg.Store.OutboxEnds() }

// PruneJournal deletes the entries with Seq ≤ upTo. It costs the same however
// many they are.
func (r *Repo) PruneJournal(ctx context.Context, upTo uint64) error {
	if err := r.cfg.Store.DeleteOutboxUpTo(ctx, upTo); err != nil {
		return fmt.Errorf("prune the journal: %w", err)
	}
	return nil
}

// The value of an entry: a format byte, flags, the length of the document's id,
// the id, and From and N as varints.
const (
	entryFormat = 1
	entryRemote = 1 << 0
)

func (e Entry) encode() []byte {
	id := e.Doc.Bytes()
	b := append(make([]byte, 0, 3+len(id)+12), entryFormat, 0, byte(len(id)))
	if e.Remote {
		b[1] |= entryRemote
	}
	b = append(b, id...)
	return binary.AppendUvarint(binary.AppendUvarint(b, e.From), e.N)
}

func decodeEntry(row store.OutboxEntry) (Entry, error) {
	e, b := Entry{Seq: row.Seq}, row.Value
	bad := func() (Entry, error) {
		return Entry{}, fmt.Errorf("entry %d of %d bytes makes no sense: %w", row.Seq, len(row.Value), kaijutsu.ErrInvalid)
	}
	if len(b) < 3 || b[0] != entryFormat || b[1]&^entryRemote != 0 || len(b) < 3+int(b[2]) {
		return bad()
	}
	e.Remote = b[1]&entryRemote != 0
	var err error
	if e.Doc, err = kaijutsu.DocumentIDFromBytes(b[3 : 3+b[2]]); err != nil {
		return bad()
	}
	b = b[3+b[2]:]
	for _, v := range []*uint64{&e.From, &e.N} {
		n, size := binary.Uvarint(b)
		if size <= 0 {
			return bad()
		}
		*v, b = n, b[size:]
	}
	if len(b) > 0 {
		return bad()
	}
	return e, nil
}
