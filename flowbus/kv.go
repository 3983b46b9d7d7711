package flowbus

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"kaijutsu"
)

// The bucket's bounds. A marker tells watchers that a key is gone, and is
// forgotten after a while itself.
const (
	bucketBytes   = 32 << 20
	maxKeyChars   = 256
	maxValueBytes = 64 << 10
	minTTL        = time.Second
	markerFor     = time.Minute
)

// Headers of a KV bucket (ADR-8, ADR-43 and ADR-48 of NATS).
const (
	headerTTL       = "Nats-TTL"
	headerExpected  = "Nats-Expected-Last-Subject-Sequence"
	headerOperation = "KV-Operation"
	headerReason    = "Nats-Marker-Reason"
	headerRollup    = "Nats-Rollup"
)

func (b *Bus) bucket() string { return "KV_KJ_" + b.cfg.Kernel }

func (b *Bus) keySubject(key string) string { return "$KV.KJ_" + b.cfg.Kernel + "." + key }

// bucketConfig is what the NATS client library makes of a bucket with a limit
// on markers, so that its tools can look into it. The first revision is drawn
// by lot: were it 1, a bucket that is made anew would soon give the revisions
// of the old one again, and a holder of those could renew what is another's.
func (b *Bus) bucketConfig() jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:                   b.bucket(),
		Description:            "kaijutsu: who is there, and who works alone",
		Subjects:               []string{b.keySubject(">")},
		Storage:                jetstream.MemoryStorage,
		MaxMsgsPerSubject:      1,
		MaxBytes:               bucketBytes,
		MaxMsgSize:             maxValueBytes + 4096,
		Discard:                jetstream.DiscardNew,
		Duplicates:             feedDuplicates,
		AllowRollup:            true,
		DenyDelete:             true,
		AllowDirect:            true,
		AllowMsgTTL:            true,
		SubjectDeleteMarkerTTL: markerFor,
		FirstSeq:               1 + rand.Uint64N(1<<48),
	}
}

// Put sets a key, which is gone after ttl (at least 1 s; 0: never). A key is
// 1 to 256 letters, digits and "-_=/." (no dot at an end, no two dots); a value
// at most 64 KiB.
func (b *Bus) Put(ctx context.Context, key string, value []byte, ttl time.Duration) (rev uint64, err error) {
	rev, err = b.setKey(ctx, key, value, ttl, -1)
	if err != nil {
		return 0, fmt.Errorf("put key %s: %w", clip(key), err)
	}
	return rev, nil
}

// Create sets a key that is not there; ErrConflict when it is.
func (b *Bus) Create(ctx context.Context, key string, value []byte, ttl time.Duration) (rev uint64, err error) {
	rev, err = b.setKey(ctx, key, value, ttl, 0)
	if errors.Is(err, kaijutsu.ErrConflict) {
		// A marker counts as the last message of the key.
		m, rerr := b.read(ctx, b.bucket(), 0, b.keySubject(key))
		if rerr == nil && m.gone() {
			rev, err = b.setKey(ctx, key, value, ttl, int64(m.Seq))
		} else if errors.Is(rerr, kaijutsu.ErrNotFound) {
			rev, err = b.setKey(ctx, key, value, ttl, 0)
		}
	}
	if err != nil {
		return 0, fmt.Errorf("create key %s: %w", clip(key), err)
	}
	return rev, nil
}

// Renew sets a key and its ttl anew if its revision is rev still; ErrConflict
// when it is not, or the key is gone.
func (b *Bus) Renew(ctx context.Context, key string, value []byte, rev uint64, ttl time.Duration) (uint64, error) {
	if rev == 0 {
		return 0, fmt.Errorf("renew key %s: revision 0 is none: %w", clip(key), kaijutsu.ErrInvalid)
	}
	rev, err := b.setKey(ctx, key, value, ttl, int64(rev))
	if err != nil {
		return 0, fmt.Errorf("renew key %s: %w", clip(key), err)
	}
	return rev, nil
}

// Get returns the value of a key and its revision, or ErrNotFound. It sees
// what any node wrote before.
func (b *Bus) Get(ctx context.Context, key string) (value []byte, rev uint64, err error) {
	if err := checkKey(key); err != nil {
		return nil, 0, err
	}
	m, err := b.read(ctx, b.bucket(), 0, b.keySubject(key))
	switch {
	case err == nil && m.gone():
		return nil, 0, fmt.Errorf("key %s: %w", key, kaijutsu.ErrNotFound)
	case err != nil:
		return nil, 0, fmt.Errorf("get key %s: %w", key, err)
	}
	return m.Data, m.Seq, nil
}

// Delete removes a key; one that is not there is no error.
func (b *Bus) Delete(ctx context.Context, key string) error {
	if err := b.deleteKey(ctx, key, -1); err != nil {
		return fmt.Errorf("delete key %s: %w", clip(key), err)
	}
	return nil
}

// Keys lists the keys that begin with prefix, sorted.
func (b *Bus) Keys(ctx context.Context, prefix string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, apiTimeout)
	defer cancel()
	var keys []string
	w := &watch{b: b, prefix: prefix, known: map[string]bool{}, f: func(key string, _ []byte, gone bool) {
		switch {
		case key != "" && !gone:
			keys = append(keys, key)
		case key == "" && !gone:
			cancel() // all were told
		}
	}}
	err := w.run(ctx)
	switch {
	case w.complete:
	case errors.Is(err, errStreamGone):
		return nil, nil
	default:
		return nil, fmt.Errorf("list keys: %w: %w", kaijutsu.ErrUnavailable, err)
	}
	slices.Sort(keys)
	return slices.Compact(keys), nil
}

// setKey writes a value. expect is the revision that the key must have (0:
// none), or negative. A bucket that is gone is made again.
func (b *Bus) setKey(ctx context.Context, key string, value []byte, ttl time.Duration, expect int64) (uint64, error) {
	if err := checkKey(key); err != nil {
		return 0, err
	}
	if len(value) > maxValueBytes {
		return 0, fmt.Errorf("value of %d bytes: want at most %d: %w", len(value), maxValueBytes, kaijutsu.ErrTooLarge)
	}
	m := nats.NewMsg(b.keySubject(key))
	m.Data = value
	if ttl != 0 {
		if ttl < minTTL {
			return 0, fmt.Errorf("time to live of %v: want at least %v: %w", ttl, minTTL, kaijutsu.ErrInvalid)
		}
		m.Header[headerTTL] = []string{ttl.String()}
	}
	return b.store(ctx, m, expect)
}

func (b *Bus) deleteKey(ctx context.Context, key string, expect int64) error {
	if err := checkKey(key); err != nil {
		return err
	}
	m := nats.NewMsg(b.keySubject(key))
	m.Header[headerOperation] = []string{"PURGE"}
	m.Header[headerRollup] = []string{"sub"}
	m.Header[headerTTL] = []string{markerFor.String()}
	_, err := b.store(ctx, m, expect)
	return err
}

// store gives the bucket a message.
func (b *Bus) store(ctx context.Context, m *nats.Msg, expect int64) (uint64, error) {
	if up, _ := b.link.state(); !up {
		return 0, fmt.Errorf("NATS is away: %w", kaijutsu.ErrUnavailable)
	}
	if expect >= 0 {
		m.Header[headerExpected] = []string{strconv.FormatInt(expect, 10)}
	}
	for attempt := 0; ; attempt++ {
		var ack storeAck
		r, err := b.request(ctx, m)
		if err == nil {
			ack, err = parseAck(r, b.bucket())
		}
		if err == nil {
			return ack.Seq, nil
		}
		if attempt > 0 || !errors.Is(err, errNoStream) {
			return 0, err
		}
		if _, err := b.ensure(ctx, b.bucketConfig()); err != nil {
			return 0, err
		}
	}
}

func checkKey(key string) error {
	ok := key != "" && len(key) <= maxKeyChars && key[0] != '.' && key[len(key)-1] != '.' && !strings.Contains(key, "..")
	for _, c := range []byte(key) {
		ok = ok && (letter(c) || strings.IndexByte("-_=/.", c) >= 0)
	}
	if !ok {
		return fmt.Errorf("key %q: want 1 to %d letters, digits and \"-_=/.\", no dot at an end and no two together: %w", clip(key), maxKeyChars, kaijutsu.ErrInvalid)
	}
	return nil
}

// gone reports whether a message of the bucket is a marker.
func (s *storedMessage) gone() bool { return marker(s.header()) }

func marker(h nats.Header) bool {
	return len(h[headerOperation]) > 0 || len(h[headerReason]) > 0
}
