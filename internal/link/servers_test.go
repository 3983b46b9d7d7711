package link_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"kaijutsu/internal/server"
)

// kernelServer is a whole server with a kernel of its own.
type kernelServer struct {
	t *testing.T
	*server.Server
}

func startKernel(t *testing.T, name string) *kernelServer {
	t.Helper()
	s, err := server.Start(server.Config{Dir: t.TempDir(), Listen: "127.0.0.1:0", Kernel: name, Log: slog.New(slog.DiscardHandler), Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return &kernelServer{t, s}
}

// try calls an operation as the owner.
func (s *kernelServer) try(op string, in map[string]any) (int, map[string]any) {
	s.t.Helper()
	params, err := json.Marshal(in)
	if err != nil {
		s.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.URL()+"/v1/ops/"+op, bytes.NewReader(params))
	if err != nil {
		s.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	var out map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, out
}

// do is try of a call that has to work.
func (s *kernelServer) do(op string, in map[string]any) map[string]any {
	s.t.Helper()
	code, out := s.try(op, in)
	if code != http.StatusOK {
		s.t.Fatalf("%s %v = %d %v", op, in, code, out)
	}
	return out
}

// context makes a context with its title as label.
func (s *kernelServer) context(label string) string {
	s.t.Helper()
	id := text(s.do("context_create", map[string]any{"title": label}), "id")
	s.do("context_label", map[string]any{"context": id, "label": label})
	return id
}

// blocks returns the drift blocks of a context, read in full.
func (s *kernelServer) blocks(context string) (out []map[string]any) {
	s.t.Helper()
	for _, b := range s.do("block_list", map[string]any{"context": context, "kind": "drift"})["blocks"].([]any) {
		out = append(out, s.do("block_read", map[string]any{"context": context, "block_id": text(b.(map[string]any), "id"), "line_numbers": false}))
	}
	return out
}

// drifts returns the contents of the drift blocks of a context.
func (s *kernelServer) drifts(context string) (out []string) {
	s.t.Helper()
	for _, b := range s.blocks(context) {
		out = append(out, text(b, "content"))
	}
	return out
}

func text(m map[string]any, key string) string { return fmt.Sprint(m[key]) }

// TestTwoKernels has two real servers drift to each other over a link: held and
// consented to, accepted, refused, cited across, and delivered once when an
// answer gets lost.
func TestTwoKernels(t *testing.T) {
	home, away := startKernel(t, "home"), startKernel(t, "away")
	lab, planning := home.context("lab"), away.context("planning")
	token := func(s *kernelServer, name, role string) string {
		return text(s.do("token_create", map[string]any{"name": name, "kind": "agent", "role": role}), "token")
	}
	// A proxy in between may lose answers.
	var lose atomic.Bool
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		req, _ := http.NewRequestWithContext(r.Context(), r.Method, away.URL()+r.URL.Path, r.Body)
		req.Header = r.Header.Clone()
		resp, err := http.DefaultClient.Do(req)
		if err != nil || lose.Load() && strings.HasSuffix(r.URL.Path, "/drift_offer") {
			panic(http.ErrAbortHandler)
		}
		defer resp.Body.Close()
		maps.Copy(w.Header(), resp.Header)
		w.WriteHeader(resp.StatusCode)
		io.Copy(w, resp.Body)
	}))
	t.Cleanup(proxy.Close)

	if code, out := home.try("drift_link_set", map[string]any{"name": "third", "url": proxy.URL, "token": token(away, "x", "reader")}); code != http.StatusConflict {
		t.Errorf("a link under another name = %d %v, want a conflict", code, out)
	}
	home.do("drift_link_set", map[string]any{"name": "away", "url": proxy.URL, "token": token(away, "home-bot", "editor")})
	away.do("drift_link_set", map[string]any{"name": "home", "url": home.URL(), "token": token(home, "away-bot", "reader")})
	if out := fmt.Sprint(home.do("drift_link_list", map[string]any{})); !strings.Contains(out, "away") || strings.Contains(out, "kj_") {
		t.Errorf("the list of links is %s, want away without its token", out)
	}

	// Held until somebody consents.
	block := text(home.do("block_create", map[string]any{"context": lab, "content": "caches are cold\nand slow"}), "id")
	push := func(content string) (int, map[string]any) {
		return home.try("drift_push", map[string]any{"context": lab, "to": "away:planning", "content": content, "cite": []string{lab + "/" + block + "#1"}})
	}
	code, out := push("held first [1]")
	if code != http.StatusOK || text(out, "state") != "offered" {
		t.Fatalf("push = %d %v, want it offered", code, out)
	}
	if got := away.drifts(planning); len(got) != 0 {
		t.Errorf("drifts before consent: %q, want none", got)
	}
	away.do("drift_consent", map[string]any{"item": text(out, "drift")})
	if got := fmt.Sprint(away.drifts(planning)); got != "[held first [1]]" {
		t.Errorf("drifts = %s, want the one that was consented to", got)
	}

	// Accepted, with citations that lead back.
	away.do("drift_policy_set", map[string]any{"foreign": []map[string]any{{"principal": "home-bot", "verdict": "accept"}}})
	if code, out = push("accepted [1]"); code != http.StatusOK || text(out, "state") != "delivered" {
		t.Fatalf("push = %d %v, want it delivered", code, out)
	}
	for _, b := range away.blocks(planning) {
		meta, _ := json.Marshal(b["metadata"])
		if text(b, "author") != "home-bot" {
			t.Errorf("the author of %v is %v, want home-bot", b["content"], b["author"])
		}
		at := strings.Index(string(meta), "home:"+lab+"/"+block)
		if at < 0 {
			t.Fatalf("meta %s cites no block of home", meta)
		}
		handle, _, _ := strings.Cut(string(meta)[at:], `"`)
		cited := away.do("citation_resolve", map[string]any{"handle": strings.TrimSuffix(handle, `\`)})
		if text(cited, "text") != "caches are cold\n" || text(cited, "kernel") != "home" {
			t.Errorf("%s reads %v, want the first line as it was", handle, cited)
		}
	}

	// An answer that is lost.
	lose.Store(true)
	code, out = push("lost on the way back [1]")
	if code != http.StatusServiceUnavailable {
		t.Errorf("push without an answer = %d %v, want unavailable", code, out)
	}
	lose.Store(false)
	home.do("drift_flush", map[string]any{"context": lab})
	home.do("drift_flush", map[string]any{"context": lab})
	if got := fmt.Sprint(away.drifts(planning)); got != "[held first [1] accepted [1] lost on the way back [1]]" {
		t.Errorf("drifts = %s, want the lost one once", got)
	}

	// Refused, in words.
	away.do("drift_policy_set", map[string]any{"foreign": []map[string]any{{"verdict": "refuse", "reason": "we are full"}}})
	if code, out = push("no"); code == http.StatusOK || !strings.Contains(fmt.Sprint(out), "we are full") {
		t.Errorf("push = %d %v, want the reason of the refusal", code, out)
	}
	if code, out = home.try("drift_push", map[string]any{"context": lab, "to": "away:plannin", "content": "x"}); code == http.StatusOK {
		t.Errorf("push to an address that is refused = %v", out)
	}
	away.do("drift_policy_set", map[string]any{"foreign": []map[string]any{{"verdict": "accept"}}})
	code, out = home.try("drift_push", map[string]any{"context": lab, "to": "away:plenning", "content": "x"})
	if code != http.StatusNotFound || !strings.Contains(fmt.Sprint(out), "planning") {
		t.Errorf("push to an unknown address = %d %v, want not found with what was meant", code, out)
	}
}
