package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/repo"
)

// readChunk reads entries of the journal and joins those of each document.
func (c *Cluster) readChunk(ctx context.Context, after uint64) (*chunk, error) {
	k := &chunk{upTo: after}
	var items []liveItem
	bytes, entries := 0, 0
	for e, err := range c.repo.Journal(after) {
		if err != nil {
			return nil, err
		}
		if k.full = entries == relayEntries || bytes >= relayBytes; k.full {
			break
		}
		entries++
		k.upTo = e.Seq
		if e.Remote {
			continue
		}
		item, ok := c.relay.takeKept(e.Seq)
		if !ok {
			if item, err = c.readEntry(ctx, e); err != nil {
				return nil, err
			}
		}
		if len(item.changes) > 0 {
			items = append(items, item)
			bytes += item.bytes()
		}
	}
	c.relay.dropKept(k.upTo)
	for _, item := range byDocument(items) {
		k.sends = append(k.sends, c.sendsOf(item)...)
	}
	return k, nil
}

// sendsOf makes messages to the feed of some changes. Of two with one id the
// feed keeps the first, so the id is of all that a message holds.
func (c *Cluster) sendsOf(item liveItem) []*send {
	var sends []*send
	for _, m := range c.messages(item.doc, item.origin, item.changes) {
		sum := sha256.Sum256(m.data)
		s := &send{shard: flowbus.Shard(item.doc), subject: item.doc.String(), data: m.data}
		s.id = s.subject + ":" + hex.EncodeToString(sum[:16])
		sends = append(sends, s)
	}
	return sends
}

// readEntry reads the changes of an entry from the document's log. What cannot
// be read is left to the comparison of digests.
func (c *Cluster) readEntry(ctx context.Context, e repo.Entry) (liveItem, error) {
	item := liveItem{doc: e.Doc}
	var err error
	for range relayTries {
		item.changes, err = c.readChanges(ctx, e)
		if err == nil || ctx.Err() != nil || !errors.Is(err, kaijutsu.ErrUnavailable) || errors.Is(err, repo.ErrDeleted) {
			break
		}
		sleep(ctx, 100*time.Millisecond)
	}
	switch {
	case ctx.Err() != nil:
		return item, ctx.Err()
	case errors.Is(err, repo.ErrDeleted), errors.Is(err, kaijutsu.ErrNotFound):
		return liveItem{}, nil
	case err != nil:
		c.log.Warn("changes not relayed", "document", e.Doc, "from", e.From, "err", err)
		return liveItem{}, nil
	}
	if origin, err := c.repo.Origin(ctx, e.Doc); err == nil && c.begins(e, origin) {
		item.origin = origin
	}
	return item, nil
}

// readChanges reads all of an entry: Raw may return it in pieces.
func (c *Cluster) readChanges(ctx context.Context, e repo.Entry) ([]repo.Change, error) {
	var changes []repo.Change
	for uint64(len(changes)) < e.N {
		more, err := c.repo.Raw(ctx, e.Doc, e.From+uint64(len(changes)), e.N-uint64(len(changes)))
		if err != nil {
			return nil, err
		}
		if len(more) == 0 {
			return nil, fmt.Errorf("the log ends at %d, want %d: %w", e.From+uint64(len(changes)), e.From+e.N, kaijutsu.ErrNotFound)
		}
		changes = append(changes, more...)
	}
	return changes, nil
}

// begins reports whether an entry has the beginning of its document's log.
func (c *Cluster) begins(e repo.Entry, origin repo.Origin) bool {
	return e.From == 0 || origin.Base != nil && e.From == origin.Base.Changes
}
