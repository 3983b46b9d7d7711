package store

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"time"

	"github.com/dgraph-io/badger/v4"

	"kaijutsu"
)

// lostDir is where everything goes that was taken out of the database because
// of damage. Nothing in it is ever read again by the server.
func (s *Store) lostDir() string { return filepath.Join(s.dir, "lost") }

func (s *Store) setAside(ctx context.Context, doc kaijutsu.DocumentID) (Aside, error) {
	var aside Aside
	if err := s.Trouble(); err != nil {
		return aside, err
	}
	err := s.view(func(v view) error { return v.salvage(doc, &aside) })
	if err != nil {
		return aside, err
	}
	keys, err := s.writeAside(ctx, doc, &aside)
	if err != nil {
		return aside, err
	}
	return aside, s.dropDocument(ctx, doc, keys)
}

// salvage reads what can be read of a document.
func (v view) salvage(doc kaijutsu.DocumentID, aside *Aside) error {
	switch row, err := v.document(doc); {
	case errors.Is(err, kaijutsu.ErrNotFound): // or deleted
		return err
	case err == nil:
		aside.Before, aside.Base, aside.Anchor = row.before, row.base, row.anchor
		if row.covers > 0 {
			if chunk, err := v.blob(row.snapshot); err == nil {
				aside.Snapshot = &Snapshot{Covers: row.covers, Chunk: chunk}
			}
		}
	}
	for _, class := range []byte{classChange, classActor} {
		prefix := documentKey(class, doc)
		err := v.scan(prefix, prefix, func(item *badger.Item) (bool, error) {
			key := item.KeyCopy(nil)
			index := indexOf(key)
			_ = item.Value(func(frame []byte) error { // what cannot be read is in the file
				return v.records(key, frame, func(record []byte) error {
					aside.take(class, index, bytes.Clone(record))
					index++
					return nil
				})
			})
			return true, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (a *Aside) take(class byte, index uint64, record []byte) {
	switch class {
	case classChange:
		if c, err := decodeChange(record); err == nil {
			c.Index = index
			a.Changes = append(a.Changes, c)
		}
	case classActor:
		if actor, err := decodeActor(record); err == nil {
			a.Actors = append(a.Actors, actor)
		}
	}
}

// asideMagic begins a file that holds a document's rows as they were in the
// database: for each the lengths of key and value as varints, key and value; at
// the end two zeros and the CRC-32C of everything before.
const asideMagic = "kj rows 1\n"

// writeAside writes every row of a document to a new file, durably, and returns
// their keys, the document's own row last.
func (s *Store) writeAside(ctx context.Context, doc kaijutsu.DocumentID, aside *Aside) (keys [][]byte, err error) {
	if err := os.MkdirAll(s.lostDir(), 0o700); err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%s.%s-", doc, time.Now().UTC().Format("20060102T150405Z"))
	f, err := os.CreateTemp(s.lostDir(), name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			os.Remove(f.Name())
		}
	}()
	w := &asideWriter{out: bufio.NewWriter(f)}
	w.bytes([]byte(asideMagic))
	err = s.view(func(v view) error {
		return v.rowsOf(ctx, doc, func(key, frame []byte) {
			w.row(key, frame)
			keys = append(keys, key)
		})
	})
	w.bytes([]byte{0, 0})
	w.bytes(binary.LittleEndian.AppendUint32(nil, w.sum))
	for _, step := range []func() error{w.out.Flush, f.Sync, func() error { return syncDir(s.lostDir()) }} {
		if err == nil {
			err = step()
		}
	}
	aside.Path, aside.Rows = f.Name(), len(keys)
	return keys, err
}

type asideWriter struct {
	out *bufio.Writer // its error comes with Flush
	sum uint32
}

func (w *asideWriter) bytes(b []byte) {
	w.sum = crc32.Update(w.sum, castagnoli, b)
	_, _ = w.out.Write(b)
}

func (w *asideWriter) row(key, frame []byte) {
	w.bytes(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(len(key))), uint64(len(frame))))
	w.bytes(key)
	w.bytes(frame)
}

// rowsOf calls fn for every row of a document: of its logs, of the blobs that
// these and its own row name as far as they can be read, and that row.
func (v view) rowsOf(ctx context.Context, doc kaijutsu.DocumentID, fn func(key, frame []byte)) error {
	each := func(key []byte, frame []byte) error {
		for _, b := range blobsIn(key, frame) {
			for i := range b.parts {
				part := partKey(b.number, i)
				if item, err := v.txn.Get(part); err == nil {
					if frame, err := item.ValueCopy(nil); err == nil {
						fn(part, frame)
					}
				}
			}
		}
		fn(key, frame)
		return ctx.Err()
	}
	for _, class := range []byte{classChange, classActor} {
		prefix := documentKey(class, doc)
		err := v.scan(prefix, prefix, func(item *badger.Item) (bool, error) {
			key := item.KeyCopy(nil)
			frame, err := item.ValueCopy(nil)
			if err != nil {
				return false, v.damaged(key, err.Error())
			}
			return true, each(key, frame)
		})
		if err != nil {
			return err
		}
	}
	if err := v.choresOf(doc, each); err != nil {
		return err
	}
	key := documentKey(classDocument, doc)
	item, err := v.txn.Get(key)
	if err != nil {
		return v.damaged(key, err.Error())
	}
	frame, err := item.ValueCopy(nil)
	if err != nil {
		return v.damaged(key, err.Error())
	}
	return each(key, frame)
}

// choresOf calls fn for what the sweeper was to do with a document: it would do
// it to what the document is filled with next.
func (v view) choresOf(doc kaijutsu.DocumentID, fn func(key, frame []byte) error) error {
	return v.scan([]byte{classChore}, []byte{classChore}, func(item *badger.Item) (bool, error) {
		key := item.KeyCopy(nil)
		frame, err := item.ValueCopy(nil)
		if err != nil {
			return false, v.damaged(key, err.Error())
		}
		payload, err := unsealAs(kindChore, key, frame)
		if err != nil {
			return true, nil // the sweeper does not do it either
		}
		if c, err := decodeChore(payload); err != nil || c.doc != doc {
			return true, nil
		}
		return true, fn(key, frame)
	})
}

// blobsIn returns the blobs that a row of a document, or a chore, names.
func blobsIn(key, frame []byte) []blob {
	kind, payload, err := unseal(key, frame)
	if err != nil {
		return nil
	}
	switch kind {
	case kindSegment:
		if _, b, err := decodeSegment(payload); err == nil {
			return []blob{b}
		}
	case kindChore:
		if c, err := decodeChore(payload); err == nil {
			return []blob{c.blob}
		}
	case kindDocument, kindLineage:
		if row, err := decodeDocumentAs(kind, payload); err == nil && row.covers > 0 {
			return []blob{row.snapshot}
		}
	}
	return nil
}

// dropDocument deletes rows, the document's own in the last transaction: until
// then the document is there and damaged. It leaves nothing to the sweeper,
// because the document may be filled again at once.
func (s *Store) dropDocument(ctx context.Context, doc kaijutsu.DocumentID, keys [][]byte) error {
	for len(keys) > 0 {
		some := keys[:min(len(keys), sweepRows)]
		keys = keys[len(some):]
		last := len(keys) == 0
		it := &item{rows: len(some) + 1, bytes: len(some)*rowOverhead + 1024}
		it.stage = func(b *batch) error {
			for _, key := range some {
				if key[0] != classDocument {
					b.delete(key)
				}
			}
			if last {
				b.forgetDocument(doc)
			}
			return nil
		}
		if err := s.submit(ctx, it); err != nil {
			return err
		}
	}
	return nil
}

// forgetDocument takes away the row of a document that is there, and no trace
// that it was.
func (b *batch) forgetDocument(doc kaijutsu.DocumentID) {
	delete(b.c.docs, doc)
	delete(b.c.doubtful, doc)
	b.before[doc] = documentRow{}
	b.docs[doc] = documentRow{}
	b.state.documents--
}
