package flowbus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"kaijutsu"
)

const (
	wantReplicas = 3
	upkeepEvery  = 5 * time.Second
)

// ensured serialises the making of streams, and remembers those that are used,
// so that they can be given more replicas when the cluster has grown.
type ensured struct {
	making chan struct{} // holds one while JetStream is asked
	mu     sync.Mutex
	thin   map[string]jetstream.StreamConfig // with fewer replicas than wanted
}

// ensure makes a stream, or the KV bucket's, when it is not there, and returns
// what it is. In a cluster it has three replicas, or one until there are enough
// servers; never two, which stop when either is gone. A stream whose MaxBytes
// the servers do not have room for is made smaller.
func (b *Bus) ensure(ctx context.Context, want jetstream.StreamConfig) (*jetstream.StreamInfo, error) {
	select {
	case b.streams.making <- struct{}{}:
		defer func() { <-b.streams.making }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	info, err := b.streamInfo(ctx, want.Name)
	if errors.Is(err, errStreamGone) {
		info, err = b.make(ctx, want)
	}
	if err != nil {
		return nil, fmt.Errorf("stream %s: %w", want.Name, err)
	}
	if !slices.Contains(info.Config.Subjects, want.Subjects[0]) {
		text := fmt.Sprintf("the stream %s in NATS is not of this program: it has other subjects; delete it, or use another kernel name", want.Name)
		if b.problems.set("stream:"+want.Name, text) {
			b.wake()
		}
		return nil, fmt.Errorf("%s: %w", text, kaijutsu.ErrConflict)
	}
	info = b.change(ctx, info, max(info.Config.Replicas, b.replicas()), min(info.Config.MaxBytes, want.MaxBytes))
	b.noteStream(want, info)
	return info, nil
}

// replicas returns how many a stream should have where we are connected.
func (b *Bus) replicas() int {
	b.link.mu.Lock()
	defer b.link.mu.Unlock()
	if b.Embedded() || b.link.cluster == "" {
		return 1
	}
	return wantReplicas
}

// streamInfo asks for a stream; errStreamGone when there is none.
func (b *Bus) streamInfo(ctx context.Context, name string) (*jetstream.StreamInfo, error) {
	call, cancel := b.link.while(ctx, apiTimeout)
	defer cancel()
	s, err := b.js.Stream(call, name)
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
		return nil, errStreamGone
	case err != nil:
		return nil, b.failed(ctx, err)
	}
	b.hasJetStream()
	return s.CachedInfo(), nil
}

func (b *Bus) hasJetStream() {
	if b.problems.clear("jetstream") {
		b.wake()
	}
}

// make creates a stream as large and as safe as the servers can.
func (b *Bus) make(ctx context.Context, want jetstream.StreamConfig) (*jetstream.StreamInfo, error) {
	const leastBytes = 1 << 20
	var last error
	for replicas := b.replicas(); ; replicas = 1 {
		for size := want.MaxBytes; size >= leastBytes; size /= 4 {
			cfg := want
			cfg.Replicas, cfg.MaxBytes = replicas, size
			info, err := b.create(ctx, cfg)
			if err == nil {
				b.log.Info("made a stream in NATS", "stream", cfg.Name, "replicas", info.Config.Replicas, "max_bytes", info.Config.MaxBytes)
				return info, nil
			}
			last = err
			if !noRoom(err) {
				return nil, err
			}
			if !noStorage(err) {
				break
			}
			b.shrinkFeed(ctx, size/4)
		}
		if replicas == 1 {
			return nil, last
		}
	}
}

// shrinkFeed makes the streams of the feed that are larger as small as that. A
// server sets aside what a stream may hold, so that the first ones can leave
// nothing for their sisters.
func (b *Bus) shrinkFeed(ctx context.Context, maxBytes int64) {
	if b.feed == nil {
		return
	}
	for shard := range Shards {
		info, err := b.streamInfo(ctx, b.feed.stream(shard))
		if err == nil && info.Config.MaxBytes > maxBytes {
			b.change(ctx, info, info.Config.Replicas, maxBytes)
		}
	}
}

func (b *Bus) create(ctx context.Context, cfg jetstream.StreamConfig) (*jetstream.StreamInfo, error) {
	call, cancel := b.link.while(ctx, apiTimeout)
	defer cancel()
	s, err := b.js.CreateStream(call, cfg)
	switch {
	case errors.Is(err, jetstream.ErrStreamNameAlreadyInUse): // another node made it just now
		return b.streamInfo(ctx, cfg.Name)
	case apiCode(err) == codeOverlap:
		return nil, fmt.Errorf("another stream in NATS takes the subject %s; delete it, or use another kernel name: %w", cfg.Subjects[0], kaijutsu.ErrConflict)
	case err != nil:
		return nil, b.failed(ctx, err)
	}
	return s.CachedInfo(), nil
}

// change gives a stream other replicas or another size; it stays as it is when
// that fails.
func (b *Bus) change(ctx context.Context, info *jetstream.StreamInfo, replicas int, maxBytes int64) *jetstream.StreamInfo {
	if info.Config.Replicas == replicas && info.Config.MaxBytes == maxBytes {
		return info
	}
	ctx, cancel := b.link.while(ctx, apiTimeout)
	defer cancel()
	cfg := info.Config
	cfg.Replicas, cfg.MaxBytes = replicas, maxBytes
	s, err := b.js.UpdateStream(ctx, cfg)
	if err != nil {
		b.log.Debug("a stream stays as it is", "stream", cfg.Name, "err", err)
		return info
	}
	b.log.Info("changed a stream in NATS", "stream", cfg.Name, "replicas", replicas, "max_bytes", maxBytes)
	return s.CachedInfo()
}

// noteStream keeps what is to be said of a stream.
func (b *Bus) noteStream(want jetstream.StreamConfig, info *jetstream.StreamInfo) {
	b.hasJetStream()
	name := want.Name
	set := b.problems.clear("stream:" + name)
	thin := info.Config.Replicas < b.replicas()
	b.streams.mu.Lock()
	if b.streams.thin == nil {
		b.streams.thin = map[string]jetstream.StreamConfig{}
	}
	delete(b.streams.thin, name)
	if thin {
		b.streams.thin[name] = want
	}
	b.streams.mu.Unlock()
	switch {
	case thin:
		set = b.problems.set("stream:"+name, fmt.Sprintf("the stream %s in NATS has %d of %d replicas, because the cluster has too few servers with room: while its server is away, nodes hear each other only live; start the missing servers", name, info.Config.Replicas, b.replicas())) || set
	case info.Config.MaxBytes < want.MaxBytes && want.MaxAge > 0:
		set = b.problems.set("stream:"+name, fmt.Sprintf("the stream %s in NATS keeps only %d MiB, because its servers have no room for %d: a node that was away for long catches up from the others, which is slower; raise max_file_store", name, info.Config.MaxBytes>>20, want.MaxBytes>>20)) || set
	}
	if set {
		b.wake()
	}
}

// upkeep gives streams the replicas they lack when the cluster has grown, and
// sees when JetStream was missing and is there.
func (b *Bus) upkeep() {
	tick := time.NewTicker(upkeepEvery)
	defer tick.Stop()
	for {
		select {
		case <-b.ctx.Done():
			return
		case <-tick.C:
		}
		if b.problems.has("jetstream") {
			b.streamInfo(b.ctx, b.bucket()) // sees when it is there
		}
		b.streams.mu.Lock()
		var thin []jetstream.StreamConfig
		for _, cfg := range b.streams.thin {
			thin = append(thin, cfg)
		}
		b.streams.mu.Unlock()
		for _, cfg := range thin {
			if _, err := b.ensure(b.ctx, cfg); err != nil {
				b.log.Debug("look after a stream", "err", err)
			}
		}
	}
}

func apiCode(err error) jetstream.ErrorCode {
	var api *jetstream.APIError
	if errors.As(err, &api) {
		return api.ErrorCode
	}
	return 0
}

// noRoom reports whether a smaller stream, or one with fewer replicas, could do.
func noRoom(err error) bool {
	switch apiCode(err) {
	case codeNoPeers, codeNoResources, codeNoMemory, codeNoStorage, codeNoReplicas:
		return true
	}
	return false
}

// noStorage reports whether a smaller stream could do. A cluster says so only
// in the text, among its reasons for finding no servers.
func noStorage(err error) bool {
	switch apiCode(err) {
	case codeNoMemory, codeNoStorage, codeNoResources:
		return true
	}
	return apiCode(err) == codeNoPeers && strings.Contains(err.Error(), "insufficient storage")
}
