package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
)

// api is the little of the server's HTTP operations that the demo needs.
type api struct{ base string }

func (a api) call(ctx context.Context, op string, in map[string]string, out any) error {
	params, err := json.Marshal(in)
	if err != nil {
		return err
	}
	body, err := a.do(ctx, http.MethodPost, "/v1/ops/"+op, bytes.NewReader(params))
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	return json.Unmarshal(body, out)
}

func (a api) do(ctx context.Context, method, path string, in io.Reader) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, a.base+path, in)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", resp.Status, bytes.TrimSpace(body))
	}
	return body, nil
}

func (a api) createContext(ctx context.Context, title string) (kaijutsu.DocumentID, error) {
	var out struct{ URL string }
	if err := a.call(ctx, "context_create", map[string]string{"title": title}, &out); err != nil {
		return kaijutsu.DocumentID{}, err
	}
	return kaijutsu.ParseDocumentID(out.URL)
}

func (a api) createBlock(ctx context.Context, id kaijutsu.DocumentID, kind, role, form, content string) (blocks.ID, error) {
	var out struct{ ID string }
	in := map[string]string{"context": id.URL(), "kind": kind, "role": role, "form": form, "content": content}
	err := a.call(ctx, "block_create", in, &out)
	return blocks.ID(out.ID), err
}

func (a api) appendText(ctx context.Context, id kaijutsu.DocumentID, block blocks.ID, text string) error {
	var out struct{ ID string }
	return a.call(ctx, "block_append", map[string]string{"context": id.URL(), "block": string(block), "text": text}, &out)
}

func (a api) export(ctx context.Context, id kaijutsu.DocumentID) ([]byte, error) {
	return a.do(ctx, http.MethodGet, "/v1/contexts/"+id.String()+"/export", nil)
}

// agent streams a block of model output, a piece each 60 ms, over HTTP.
type agent struct {
	api    api
	block  blocks.ID
	pieces int             // acknowledged: the call returned
	text   string          // what the acknowledged pieces add up to
	took   []time.Duration // call → return, which is on disk
	err    error           // why the last run ended, if not by its context
}

// run streams until ctx ends or the server does. A piece whose call failed may
// or may not be on disk, so the next run begins a new block.
func (a *agent) run(ctx context.Context, id kaijutsu.DocumentID) {
	if a.block, a.err = a.api.createBlock(ctx, id, "text", "model", "chunks", ""); a.err != nil {
		return
	}
	a.text = ""
	for i := 1; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-time.After(60 * time.Millisecond):
		}
		piece := fmt.Sprintf("token %d ", i)
		at := time.Now()
		if a.err = a.api.appendText(ctx, id, a.block, piece); a.err != nil {
			return
		}
		a.took = append(a.took, time.Since(at))
		a.pieces++
		a.text += piece
	}
}
