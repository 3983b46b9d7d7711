package bench

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"kaijutsu"
	"kaijutsu/internal/kjproc"
)

// ourStreamer appends tokens to a block, over HTTP.
func ourStreamer(ctx context.Context, p *kjproc.Process, doc docName, n int) ([]func(context.Context) error, func() error, error) {
	id, err := contextOf(string(doc))
	if err != nil {
		return nil, nil, err
	}
	client := agentClient(n)
	tokens := strings.SplitAfter(prose(1)+prose(2), " ")
	steps := make([]func(context.Context) error, n)
	for i := range steps {
		var block struct {
			ID string `json:"block_id"`
		}
		if err := callBy(ctx, client, p, "block_create", map[string]any{"context": id, "content": "", "status": "running"}, &block); err != nil {
			return nil, nil, err
		}
		turn := 0
		steps[i] = func(ctx context.Context) error {
			turn++
			return callBy(ctx, client, p, "block_append", map[string]any{"context": id, "block_id": block.ID, "text": tokens[turn%(len(tokens)-1)]}, nil)
		}
	}
	return steps, closeIdle(client), nil
}

// ourFlushers stage a paragraph each in a context of its own and flush it, over
// HTTP.
func ourFlushers(ctx context.Context, p *kjproc.Process, doc docName, n int) ([]func(context.Context) error, func() error, error) {
	to, err := contextOf(string(doc))
	if err != nil {
		return nil, nil, err
	}
	client := agentClient(n)
	text := proseOf(paragraph)
	steps := make([]func(context.Context) error, n)
	err = inParallel(ctx, n, func(ctx context.Context, i int) error {
		var made struct{ ID string }
		if err := callBy(ctx, client, p, "context_create", map[string]any{"title": fmt.Sprintf("Agent %d", i+1)}, &made); err != nil {
			return err
		}
		turn := 0
		steps[i] = func(ctx context.Context) error {
			turn++
			in := map[string]any{"context": made.ID, "to": to, "content": fmt.Sprintf("%d.%d %s", i, turn, text(i+turn)), "stage": true}
			if err := callBy(ctx, client, p, "drift_push", in, nil); err != nil {
				return err
			}
			return flush(ctx, client, p, made.ID)
		}
		return nil
	})
	return steps, closeIdle(client), err
}

// flush delivers what a context has staged.
func flush(ctx context.Context, client *http.Client, p *kjproc.Process, id string) error {
	for {
		var out struct{ Failed, Dead, Left int }
		if err := callBy(ctx, client, p, "drift_flush", map[string]any{"context": id}, &out); err != nil {
			return err
		}
		if out.Failed+out.Dead > 0 {
			return fmt.Errorf("drift_flush: %d deliveries failed: %w", out.Failed+out.Dead, kaijutsu.ErrUnavailable)
		}
		if out.Left == 0 {
			return nil // else it goes on, and the next call waits for it
		}
	}
}

func agentClient(n int) *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: n}}
}

func closeIdle(client *http.Client) func() error {
	return func() error {
		client.CloseIdleConnections()
		return nil
	}
}
