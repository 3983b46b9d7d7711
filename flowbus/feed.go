package flowbus

import (
	"context"
	"fmt"
	"hash/fnv"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"kaijutsu"
)

// Shards is the number of streams that the feed is spread over.
const Shards = 8

// What a stream of the feed keeps.
const (
	feedAge        = 72 * time.Hour
	feedBytes      = 4 << 30
	feedDuplicates = 2 * time.Minute
)

// Shard returns the shard of a document.
func Shard(doc kaijutsu.DocumentID) int {
	h := fnv.New64a()
	h.Write(doc.Bytes())
	return int(h.Sum64() % Shards)
}

// Feed is the JetStream feed of the kernel's changes: Shards streams that keep
// 72 hours for nodes that were away. It is safe for concurrent use.
type Feed struct {
	b      *Bus
	inbox  string // acknowledgements come to <inbox>.<token>
	shards [Shards]window

	mu      sync.Mutex
	next    uint64
	pending map[uint64]*Ack // those that wait for the stream's word, by token
}

func newFeed(b *Bus) *Feed {
	f := &Feed{b: b, pending: map[uint64]*Ack{}}
	for i := range f.shards {
		f.shards[i].init()
	}
	return f
}

// Feed returns the feed, or nil when the bus is embedded.
func (b *Bus) Feed() *Feed { return b.feed }

// Ready makes the streams that are missing. Append and Consume do so for their
// shard when they find it gone, so that Ready is needed only to know.
func (f *Feed) Ready(ctx context.Context) error {
	for shard := range Shards {
		if _, err := f.b.ensure(ctx, f.config(shard)); err != nil {
			return fmt.Errorf("make the feed ready: %w", err)
		}
	}
	return nil
}

func (f *Feed) stream(shard int) string {
	return fmt.Sprintf("KJ_%s_%d", f.b.cfg.Kernel, shard)
}

// prefix returns what the subjects of a shard begin with.
func (f *Feed) prefix(shard int) string {
	return fmt.Sprintf("%snode.feed.%d.", f.b.prefix, shard)
}

func (f *Feed) config(shard int) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:        f.stream(shard),
		Description: "kaijutsu: changes of documents on their way between nodes",
		Subjects:    []string{f.prefix(shard) + ">"},
		Storage:     jetstream.FileStorage,
		Retention:   jetstream.LimitsPolicy,
		Discard:     jetstream.DiscardOld,
		MaxAge:      feedAge,
		MaxBytes:    feedBytes,
		MaxMsgSize:  maxPayload,
		Duplicates:  feedDuplicates,
		AllowDirect: true,
	}
}

// Last returns the sequence number of the last record of a shard, for telling
// how far behind a cursor is.
func (f *Feed) Last(ctx context.Context, shard int) (uint64, error) {
	info, err := f.b.streamInfo(ctx, f.stream(shard))
	if err != nil {
		return 0, fmt.Errorf("look at shard %d of the feed: %w", shard, err)
	}
	return info.State.LastSeq, nil
}
