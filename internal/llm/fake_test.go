package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/drift"
)

const (
	testKey   = "sk-test-0123456789abcdef"
	testWords = "The quick brown secret of the caching layer is an LRU"
)

// fake is a server of a provider: it answers each request with the next answer,
// and the last one for ever. It runs on pipes, so that synctest keeps its time.
type fake struct {
	answers []http.HandlerFunc

	mu   sync.Mutex
	seen []seen // guarded by mu
}

// seen is a request as it came.
type seen struct {
	at     time.Time
	path   string
	header http.Header
	body   map[string]any
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	s := seen{at: time.Now(), path: r.Method + " " + r.URL.String(), header: r.Header.Clone()}
	_ = json.Unmarshal(b, &s.body) // what is none is seen as nil
	f.mu.Lock()
	n := len(f.seen)
	f.seen = append(f.seen, s)
	f.mu.Unlock()
	f.answers[min(n, len(f.answers)-1)](w, r)
}

func (f *fake) requests() []seen {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]seen{}, f.seen...)
}

// pipes is a listener on connections inside the process.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error { p.once.Do(func() { close(p.done) }); return nil }

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// start serves until the end of the test, and returns a model that asks it.
func (f *fake) start(t *testing.T, cfg Config) *model {
	t.Helper()
	ln := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
	srv := &http.Server{Handler: f}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = srv.Serve(ln) }()
	transport := &http.Transport{DialContext: ln.dial, MaxResponseHeaderBytes: 64 << 10}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		_ = srv.Close()
		<-ended
	})
	if cfg.BaseURL == "" {
		cfg.BaseURL = "http://fake.test/v1"
	}
	if cfg.Model == "" {
		cfg.Model = "tester-1"
	}
	if cfg.Key == "" {
		cfg.Key = testKey
	}
	cfg.Transport = transport
	d, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return d.(*model)
}

// source is a conversation of a few blocks.
func source() drift.Source {
	return drift.Source{
		Title: "Cache", Context: "0198a000-0000-7000-8000-000000000001", Heads: kaijutsu.Heads{{1}},
		Blocks: []drift.Passage{
			{ID: "0198a000-0000-7000-8000-00000000000a", Kind: "text", Role: "user", Author: "amy", Content: "What shall we do about caching?"},
			{ID: "0198a000-0000-7000-8000-00000000000b", Kind: "text", Role: "model", Author: "bot", Content: testWords + "."},
		},
	}
}

// event writes one event and sends it off.
func event(w io.Writer, kind, data string) {
	if kind != "" {
		fmt.Fprintf(w, "event: %s\n", kind)
	}
	fmt.Fprintf(w, "data: %s\n\n", data)
	flush(w)
}

func flush(w io.Writer) {
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings always encode
	}
	return string(b)
}

// speech says how a provider speaks.
type speech struct {
	provider string
	begin    func(w io.Writer)
	delta    func(w io.Writer, text string)
	end      func(w io.Writer, reason string, in, out int)
	stop     string // the reason of an answer that is whole
	limit    string // that of one that is cut off
	refusal  string // that of one that is declined
	problem  func(kind, code, message string) string
}

// The streams are those of https://docs.anthropic.com/en/docs/build-with-claude/streaming
// and https://platform.openai.com/docs/api-reference/chat-streaming, with other
// words in them.
var anthropicSpeech = speech{
	provider: Anthropic,
	begin: func(w io.Writer) {
		event(w, "message_start", `{"type":"message_start","message":{"id":"msg_1nZdL29xx5MUA1yADyHTEsnR8uuvGzszyY","type":"message","role":"assistant","content":[],"model":"tester-1-20260101","stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":25,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":1}}}`)
		event(w, "content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)
		event(w, "ping", `{"type": "ping"}`)
	},
	delta: func(w io.Writer, text string) {
		event(w, "content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":`+quote(text)+`}}`)
	},
	end: func(w io.Writer, reason string, in, out int) {
		event(w, "content_block_stop", `{"type":"content_block_stop","index":0}`)
		event(w, "message_delta", `{"type":"message_delta","delta":{"stop_reason":`+quote(reason)+`,"stop_sequence":null},"usage":{"input_tokens":`+strconv.Itoa(in)+`,"output_tokens":`+strconv.Itoa(out)+`}}`)
		event(w, "message_stop", `{"type":"message_stop"}`)
	},
	stop: "end_turn", limit: "max_tokens", refusal: "refusal",
	problem: func(kind, _, message string) string {
		return `{"type":"error","error":{"type":` + quote(kind) + `,"message":` + quote(message) + `},"request_id":"req_011CSHoEeqs5C35K2UUqR7Fy"}`
	},
}

var openAISpeech = speech{
	provider: OpenAI,
	begin: func(w io.Writer) {
		event(w, "", chunkJSON(`{"role":"assistant","content":"","refusal":null}`, "null"))
	},
	delta: func(w io.Writer, text string) { event(w, "", chunkJSON(`{"content":`+quote(text)+`}`, "null")) },
	end: func(w io.Writer, reason string, in, out int) {
		event(w, "", chunkJSON(`{}`, quote(reason)))
		event(w, "", fmt.Sprintf(`{"id":"chatcmpl-123","object":"chat.completion.chunk","created":1694268190,"model":"tester-1-20260101","system_fingerprint":"fp_44709d6fcb","choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"completion_tokens_details":{"reasoning_tokens":0}}}`, in, out, in+out))
		event(w, "", "[DONE]")
	},
	stop: "stop", limit: "length", refusal: "content_filter",
	problem: func(kind, code, message string) string {
		return `{"error":{"message":` + quote(message) + `,"type":` + quote(kind) + `,"param":null,"code":` + quote(code) + `}}`
	},
}

var speeches = []speech{anthropicSpeech, openAISpeech}

func chunkJSON(delta, finish string) string {
	return `{"id":"chatcmpl-123","object":"chat.completion.chunk","created":1694268190,"model":"tester-1-20260101","system_fingerprint":"fp_44709d6fcb","choices":[{"index":0,"delta":` + delta + `,"logprobs":null,"finish_reason":` + finish + `}],"usage":null}`
}

// streams answers with a stream that f writes.
func streams(f func(w http.ResponseWriter, r *http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		f(w, r)
	}
}

// says answers with a text in pieces.
func (s speech) says(pieces ...string) http.HandlerFunc {
	return streams(func(w http.ResponseWriter, _ *http.Request) {
		s.begin(w)
		for _, p := range pieces {
			s.delta(w, p)
		}
		s.end(w, s.stop, 120, 30)
	})
}

// fails answers with a status and an error.
func (s speech) fails(status int, kind, code, message string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, s.problem(kind, code, message))
	}
}

// hangs answers nothing until the client is gone.
func hangs(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// cuts breaks the connection.
func cuts(w http.ResponseWriter) { panic(http.ErrAbortHandler) }

// byteByByte sends each byte on its own.
type byteByByte struct{ http.ResponseWriter }

func (b byteByByte) Write(p []byte) (int, error) {
	for i := range p {
		if _, err := b.ResponseWriter.Write(p[i : i+1]); err != nil {
			return i, err
		}
		flush(b.ResponseWriter)
	}
	return len(p), nil
}

// has checks that a text has all of some words, and nothing that is secret.
func has(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%q: want %q in it", text, w)
		}
	}
	if strings.Contains(text, testKey) || strings.Contains(text, testWords[:30]) {
		t.Errorf("%q has the key or the text in it", text)
	}
}
