package llm

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"kaijutsu"
	"kaijutsu/drift"
)

func TestDistil(t *testing.T) {
	for _, s := range speeches {
		t.Run(s.provider, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fake{answers: []http.HandlerFunc{s.says("- The cache ", "is an LRU", ": 「héllo 😀」")}}
				m := f.start(t, Config{Provider: s.provider, MaxTokens: 700})
				var told []string
				got, err := m.Distil(t.Context(), drift.Request{Source: source(), Focus: "caching", MaxWords: 120, Progress: func(s string) { told = append(told, s) }})
				if err != nil {
					t.Fatal(err)
				}
				if got.Text != "- The cache is an LRU: 「héllo 😀」" || got.Model != "tester-1-20260101" || got.Distiller != s.provider+" tester-1" || got.InputTokens != 120 || got.OutputTokens != 30 {
					t.Errorf("briefing = %+v", got)
				}
				if want := []string{"- The cache", "- The cache is an LRU", "- The cache is an LRU: 「héllo 😀」"}; !slices.Equal(told, want) {
					t.Errorf("told %q, want %q", told, want)
				}
				checkRequest(t, s, f.requests()[0])
			})
		})
	}
}

// TestAsk: a prompt of somebody else's is put as it is, and answered as it is.
func TestAsk(t *testing.T) {
	for _, s := range speeches {
		t.Run(s.provider, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fake{answers: []http.HandlerFunc{s.says("\nfix(cache): evict ", "by age [1]\n")}}
				asker, ok := drift.Distiller(f.start(t, Config{Provider: s.provider, MaxTokens: 700})).(drift.Asker)
				if !ok {
					t.Fatal("a model is no drift.Asker")
				}
				system, user := drift.CommitPrompt("+evict()\n", nil)
				got, err := asker.Ask(t.Context(), system, user)
				if err != nil || got.Text != "fix(cache): evict by age [1]" || got.Citations != nil || got.Model != "tester-1-20260101" || got.OutputTokens != 30 {
					t.Errorf("Ask = %+v, %v", got, err)
				}
				messages, _ := f.requests()[0].body["messages"].([]any)
				last, _ := messages[len(messages)-1].(map[string]any)
				if last["content"] != user {
					t.Errorf("the model was asked %q, want %q", last["content"], user)
				}
				if _, err := asker.Ask(t.Context(), system, " "); !errors.Is(err, kaijutsu.ErrInvalid) {
					t.Errorf("Ask(nothing) = %v, want an error that wraps ErrInvalid", err)
				}
			})
		})
	}
}

// checkRequest holds a request against the API's reference.
func checkRequest(t *testing.T, s speech, r seen) {
	t.Helper()
	wantPath, wantKey := "POST /v1/messages", r.header.Get("X-Api-Key")
	messages, _ := r.body["messages"].([]any)
	var roles []string
	texts := map[string]string{}
	for _, m := range messages {
		role, _ := m.(map[string]any)["role"].(string)
		roles = append(roles, role)
		texts[role], _ = m.(map[string]any)["content"].(string)
	}
	wantRoles, limit := []string{"user"}, "max_tokens"
	if s.provider == OpenAI {
		wantPath, wantKey = "POST /v1/chat/completions", strings.TrimPrefix(r.header.Get("Authorization"), "Bearer ")
		wantRoles = []string{"system", "user"}
		if options, _ := r.body["stream_options"].(map[string]any); options["include_usage"] != true {
			t.Errorf("stream_options = %v, want usage asked for", r.body["stream_options"])
		}
	} else {
		texts["system"], _ = r.body["system"].(string)
		if got := r.header.Get("Anthropic-Version"); got != "2023-06-01" {
			t.Errorf("anthropic-version = %q", got)
		}
	}
	if r.path != wantPath || wantKey != testKey || r.header.Get("Content-Type") != "application/json" {
		t.Errorf("request = %s with key %q, %v", r.path, wantKey, r.header)
	}
	if r.body["model"] != "tester-1" || r.body["stream"] != true || r.body[limit] != float64(700) || !slices.Equal(roles, wantRoles) {
		t.Errorf("body = %v", r.body)
	}
	system, user := drift.Transcript(source(), "caching")
	if want := strings.Replace(system, "under 500 words", "under 120 words", 1); texts["system"] != want || want == system {
		t.Errorf("system = %q, want %q", texts["system"], want)
	}
	if texts["user"] != user || !strings.Contains(user, testWords) || !strings.Contains(user, "Focus your summary on: caching") {
		t.Errorf("user = %q, want %q", texts["user"], user)
	}
}

// TestStreams are streams that are unusual and whole.
func TestStreams(t *testing.T) {
	whole := func(s speech, w io.Writer) {
		s.begin(w)
		s.delta(w, "- 日本語 ")
		s.delta(w, "😀.")
		s.end(w, s.stop, 120, 30)
	}
	tests := []struct {
		name  string
		write func(s speech, w http.ResponseWriter)
		only  string
		want  string
	}{
		{"each byte on its own", func(s speech, w http.ResponseWriter) { whole(s, byteByByte{w}) }, "", "- 日本語 😀."},
		{"lines end with CR LF", func(s speech, w http.ResponseWriter) { whole(s, ends{w, "\r\n"}) }, "", "- 日本語 😀."},
		{"lines end with CR", func(s speech, w http.ResponseWriter) { whole(s, ends{w, "\r"}) }, "", "- 日本語 😀."},
		{"a byte order mark and comments", func(s speech, w http.ResponseWriter) {
			_, _ = io.WriteString(w, "\ufeff: OPENROUTER PROCESSING\n\nid: 7\nretry: 10\n")
			whole(s, w)
		}, "", "- 日本語 😀."},
		{"U+FFFD that the model wrote", func(s speech, w http.ResponseWriter) {
			s.begin(w)
			s.delta(w, "a \ufffd b")
			s.end(w, s.stop, 1, 1)
		}, "", "a \ufffd b"},
		{"events of later versions", func(s speech, w http.ResponseWriter) {
			event(w, "weather", `{"type":"weather","sun":[1,{"a":null}]}`)
			whole(s, w)
		}, Anthropic, "- 日本語 😀."},
		{"thoughts are not the answer", func(s speech, w http.ResponseWriter) {
			event(w, "message_start", `{"type":"message_start","message":{"model":"m","usage":{"input_tokens":1,"output_tokens":1}}}`)
			event(w, "content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`)
			event(w, "content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Let me see"}}`)
			event(w, "content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds"}}`)
			event(w, "content_block_stop", `{"type":"content_block_stop","index":0}`)
			event(w, "content_block_start", `{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"It "}}`)
			event(w, "content_block_delta", `{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"is."}}`)
			s.end(w, "end_turn", 1, 1)
		}, Anthropic, "It is."},
		{"no [DONE]", func(s speech, w http.ResponseWriter) {
			s.delta(w, "done")
			event(w, "", chunkJSON("{}", `"stop"`))
		}, OpenAI, "done"},
		{"data without a space behind the colon", func(s speech, w http.ResponseWriter) {
			_, _ = io.WriteString(w, "data:"+chunkJSON(`{"content":"tight"}`, `"stop"`)+"\n\ndata:[DONE]\n\n")
		}, OpenAI, "tight"},
		{"thoughts in the text of an open model", func(s speech, w http.ResponseWriter) {
			s.delta(w, "<think>\nhm, <b>")
			s.delta(w, "\n</think>\n\nIt is.")
			s.end(w, "stop", 1, 1)
		}, OpenAI, "It is."},
		{"thoughts beside the text", func(s speech, w http.ResponseWriter) {
			event(w, "", chunkJSON(`{"role":"assistant","content":null,"reasoning_content":"hm"}`, "null"))
			s.delta(w, "It is.")
			s.end(w, "stop", 1, 1)
		}, OpenAI, "It is."},
		{"a second choice", func(s speech, w http.ResponseWriter) {
			s.delta(w, "first")
			event(w, "", `{"choices":[{"index":1,"delta":{"content":"second"},"finish_reason":"length"}]}`)
			s.end(w, "stop", 1, 1)
		}, OpenAI, "first"},
	}
	for _, tt := range tests {
		for _, s := range speeches {
			if tt.only != "" && tt.only != s.provider {
				continue
			}
			t.Run(s.provider+"/"+tt.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := &fake{answers: []http.HandlerFunc{streams(func(w http.ResponseWriter, _ *http.Request) { tt.write(s, w) })}}
					got, err := f.start(t, Config{Provider: s.provider, Retries: -1}).Distil(t.Context(), drift.Request{Source: source()})
					if err != nil || got.Text != tt.want {
						t.Errorf("briefing = %q, %v, want %q", got.Text, err, tt.want)
					}
				})
			})
		}
	}
}

// ends writes other ends of lines.
type ends struct {
	http.ResponseWriter
	end string
}

func (e ends) Write(p []byte) (int, error) {
	_, err := io.WriteString(e.ResponseWriter, strings.ReplaceAll(string(p), "\n", e.end))
	flush(e.ResponseWriter)
	return len(p), err
}

// TestRealConnection asks over TCP, as it is in life.
func TestRealConnection(t *testing.T) {
	for _, s := range speeches {
		srv := httptest.NewServer(s.says("over ", "TCP"))
		defer srv.Close()
		d, err := Open(Config{Provider: s.provider, BaseURL: srv.URL + "/", Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.Distil(t.Context(), drift.Request{Source: source()})
		if err != nil || got.Text != "over TCP" {
			t.Errorf("%s: briefing = %+v, %v", s.provider, got, err)
		}
		srv.Close()
		if _, err = d.Distil(shortly(t), drift.Request{Source: source()}); !errors.Is(err, kaijutsu.ErrUnavailable) && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: without a server: %v", s.provider, err)
		}
	}
}

func TestNothingToDistil(t *testing.T) {
	d, err := Open(Config{Provider: OpenAI, BaseURL: "http://127.0.0.1:1", Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Distil(t.Context(), drift.Request{Source: drift.Source{Blocks: []drift.Passage{{Content: " \n"}}}})
	if !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("an empty context: %v, want invalid", err)
	}
}
