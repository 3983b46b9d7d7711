package server

import (
	"context"
	"encoding/json"
	"fmt"

	"kaijutsu"
	"kaijutsu/internal/door/mcpdoor"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

// instructions are what agents are told of the server.
const instructions = `Kaijutsu keeps contexts: documents of blocks that people and agents edit together. ` +
	`A context is named by id, automerge URL or title, or by the beginning of one. ` +
	`Start with context_list; read with context_get and block_read; write with block_create, block_append and block_edit. ` +
	`What others hand on to you comes as drifts: drift_inbox shows them, and kaijutsu://drift/inbox can be subscribed to; hand on what you found with drift_push. ` +
	`Everything you write is attributed to you, and undo takes back your own last work only.`

// mcpDoor returns the door for agents, and has what comes told to it.
func (s *Server) mcpDoor() *mcpdoor.Door {
	s.later.also(s.mail.note)
	return mcpdoor.New(mcpdoor.Config{
		Set: s.set, Identify: s.recognised(s.gate.call), Log: s.log, Version: s.cfg.Version, Instructions: instructions,
		Resources: resources{s}, Watcher: watcher{s}, Events: events{s}, Letters: letters{s},
		Join: s.seatAgent,
	})
}

// resources are the contexts and blocks that agents read. Each read is also an
// operation, and is there for whom that is.
type resources struct{ s *Server }

// Contexts returns the contexts that the caller may read.
func (r resources) Contexts(ctx context.Context, c op.Call) ([]mcpdoor.Context, error) {
	if _, err := r.s.set.Get(c, "context_list"); err != nil {
		return nil, err
	}
	all, err := r.s.kernel.Contexts(ctx, c, false)
	if err != nil {
		return nil, err
	}
	out := make([]mcpdoor.Context, len(all))
	for i, info := range all {
		out[i] = mcpdoor.Context{ID: info.ID, Title: info.Title, Blocks: info.Blocks}
	}
	return out, nil
}

// ReadContext returns a context in Markdown.
func (r resources) ReadContext(ctx context.Context, c op.Call, context string) (string, error) {
	params, err := json.Marshal(map[string]string{"context": context, "format": "markdown"})
	if err != nil {
		return "", err
	}
	result, err := r.s.set.Call(ctx, c, "context_export", params)
	if err != nil {
		return "", err
	}
	var out struct {
		Content string `json:"content"`
	}
	err = json.Unmarshal(result, &out)
	return out.Content, err
}

// Blocks returns the ids of a context's blocks, in their order.
func (r resources) Blocks(ctx context.Context, c op.Call, context string) ([]string, error) {
	doc, err := r.resolve(ctx, c, "block_list", context)
	if err != nil {
		return nil, err
	}
	var ids []string
	err = r.s.kernel.View(ctx, c, doc, func(v repo.View) error {
		for b := range v.Model().Summaries() {
			ids = append(ids, string(b.ID))
		}
		return nil
	})
	return ids, err
}

// ReadBlock returns the content of a block.
func (r resources) ReadBlock(ctx context.Context, c op.Call, context, block string) (string, error) {
	if _, err := r.s.set.Get(c, "block_read"); err != nil {
		return "", err
	}
	doc, id, err := r.s.kernel.ResolveBlock(ctx, c, context, block, kaijutsu.RightRead)
	if err != nil {
		return "", err
	}
	content := ""
	err = r.s.kernel.View(ctx, c, doc, func(v repo.View) error {
		b, ok := v.Block(id)
		if !ok || b.Deleted {
			return fmt.Errorf("block %.64q: %w", block, kaijutsu.ErrNotFound)
		}
		content = b.Content
		return nil
	})
	return content, err
}

// resolve finds a context for whom an operation is there.
func (r resources) resolve(ctx context.Context, c op.Call, operation, context string) (kaijutsu.DocumentID, error) {
	if _, err := r.s.set.Get(c, operation); err != nil {
		return kaijutsu.DocumentID{}, err
	}
	return r.s.kernel.Resolve(ctx, c, context, kaijutsu.RightRead)
}

// watcher follows what agents subscribe to.
type watcher struct{ s *Server }

// Watch follows the blocks of a context.
func (w watcher) Watch(ctx context.Context, c op.Call, context string) (mcpdoor.Watch, error) {
	doc, err := resources(w).resolve(ctx, c, "context_get", context)
	if err != nil {
		return nil, err
	}
	watch, err := w.s.kernel.Watch(ctx, c, doc)
	if err != nil {
		return nil, err
	}
	return &blockWatch{w.s, c, doc, watch}, nil
}

// WatchContexts follows which contexts there are, and their titles.
func (w watcher) WatchContexts(ctx context.Context, c op.Call) (mcpdoor.Watch, error) {
	watch, err := w.s.kernel.WatchContexts(ctx, c)
	if err != nil {
		return nil, err
	}
	return listWatch{watch}, nil
}

type blockWatch struct {
	s     *Server
	c     op.Call
	doc   kaijutsu.DocumentID
	watch *repo.Watch
}

// Next returns the ids of the blocks that changed.
func (b *blockWatch) Next(ctx context.Context) ([]string, error) {
	changed, err := b.watch.Next(ctx)
	if err != nil {
		return nil, err
	}
	if err := b.s.mayStill(b.c, b.doc); err != nil {
		return nil, err
	}
	ids := make([]string, len(changed))
	for i, block := range changed {
		ids[i] = string(block.ID)
	}
	return ids, nil
}

// Close ends the watch.
func (b *blockWatch) Close() { b.watch.Close() }

type listWatch struct{ *kernel.ListWatch }

// Next waits until the list is another; anything in it may have changed.
func (l listWatch) Next(ctx context.Context) ([]string, error) { return nil, l.ListWatch.Next(ctx) }
