package llm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"kaijutsu"
	"kaijutsu/drift"
)

// shortly returns a context that ends soon.
func shortly(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}

// TestFailures: each of them is an error of its kind that says what to mend, asked
// for as often as it may help.
func TestFailures(t *testing.T) {
	broken := func(f func(s speech, w http.ResponseWriter)) func(speech) http.HandlerFunc {
		return func(s speech) http.HandlerFunc {
			return streams(func(w http.ResponseWriter, _ *http.Request) { f(s, w) })
		}
	}
	status := func(code int, kind, errCode, message string, header ...string) func(speech) http.HandlerFunc {
		return func(s speech) http.HandlerFunc { return s.fails(code, kind, errCode, message, header...) }
	}
	ending := func(reason func(speech) string) func(speech) http.HandlerFunc {
		return broken(func(s speech, w http.ResponseWriter) {
			s.begin(w)
			s.delta(w, "half a ")
			s.end(w, reason(s), 10, 10)
		})
	}
	const once, all = 1, 1 + DefaultRetries
	tests := []struct {
		name     string
		answer   func(speech) http.HandlerFunc
		only     string
		kind     error
		attempts int
		words    string
	}{
		{"a wrong key", status(401, "authentication_error", "invalid_api_key", "Incorrect API key provided: "+testKey+"."), "", kaijutsu.ErrDenied, once, "--llm-key-file"},
		{"a key without the right", status(403, "permission_error", "", "no"), "", kaijutsu.ErrDenied, once, "--llm-key-file"},
		{"no such model", status(404, "not_found_error", "model_not_found", "model: tester-1 does not exist"), "", kaijutsu.ErrNotFound, once, "tester-1 does not exist): mend the model (kj serve --llm-model)"},
		{"no such address", func(speech) http.HandlerFunc { return http.NotFound }, "", kaijutsu.ErrNotFound, once, "--llm-url"},
		{"too long for Anthropic", status(400, "invalid_request_error", "", "prompt is too long: 210000 tokens > 200000 maximum"), Anthropic, kaijutsu.ErrTooLarge, once, "210000 tokens > 200000"},
		{"too long for OpenAI", status(400, "invalid_request_error", "context_length_exceeded", "too many"), OpenAI, kaijutsu.ErrTooLarge, once, "longer than the model takes"},
		{"too long for vLLM", func(speech) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(400)
				_, _ = io.WriteString(w, `{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.","type":"BadRequestError","param":null,"code":400}`)
			}
		}, OpenAI, kaijutsu.ErrTooLarge, once, "maximum context length is 4096"},
		{"too many bytes", status(413, "request_too_large", "", ""), "", kaijutsu.ErrTooLarge, once, "longer than the model takes"},
		{"a request that is wrong", status(400, "invalid_request_error", "", "temperature: no"), "", kaijutsu.ErrInvalid, once, "400 (temperature: no)"},
		{"an error that repeats the text", status(400, "x", "", "invalid: "+testWords), "", kaijutsu.ErrInvalid, once, "repeats the text"},
		{"an error that has the key", status(400, "x", "", "header x-api-key: "+testKey), "", kaijutsu.ErrInvalid, once, "has the key in it"},
		{"an error that is a word", func(speech) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(404)
				_, _ = io.WriteString(w, `{"error":"model 'x' not found, try pulling it first"}`)
			}
		}, OpenAI, kaijutsu.ErrNotFound, once, "try pulling it first"},
		{"no credit", status(429, "insufficient_quota", "insufficient_quota", "You exceeded your current quota"), OpenAI, kaijutsu.ErrUnavailable, once, "no credit"},
		{"no credit at Anthropic", status(400, "invalid_request_error", "", "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."), Anthropic, kaijutsu.ErrUnavailable, once, "no credit"},
		{"too many requests", status(429, "rate_limit_error", "rate_limit_exceeded", "Number of request tokens has exceeded"), "", kaijutsu.ErrUnavailable, all, "429"},
		{"overloaded", status(529, "overloaded_error", "", "Overloaded"), "", kaijutsu.ErrUnavailable, all, "529 (Overloaded)"},
		{"a broken server", status(500, "api_error", "", "Internal"), "", kaijutsu.ErrUnavailable, all, "500"},
		{"a gateway", func(speech) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				http.Error(w, "<html>Bad Gateway</html>", http.StatusBadGateway)
			}
		}, "", kaijutsu.ErrUnavailable, all, "502"},
		{"a broken server that knows better", status(500, "api_error", "", "", "X-Should-Retry", "false"), "", kaijutsu.ErrUnavailable, once, "500"},
		{"a redirect", func(speech) http.HandlerFunc {
			return http.RedirectHandler("http://elsewhere.test/", http.StatusTemporaryRedirect).ServeHTTP
		}, "", kaijutsu.ErrInvalid, once, "sends us elsewhere"},
		{"a web page", func(speech) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<!DOCTYPE html><p>Log in") }
		}, "", kaijutsu.ErrUnavailable, once, `"text/html"`},
		{"an odd status", func(speech) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }
		}, "", kaijutsu.ErrUnavailable, once, "204"},
		{"a huge error", func(speech) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(400)
				for r.Context().Err() == nil {
					_, _ = w.Write(bytes.Repeat([]byte("x"), 64<<10))
				}
			}
		}, "", kaijutsu.ErrInvalid, once, "400"},
		{"a connection that breaks at once", func(speech) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { cuts(w) }
		}, "", kaijutsu.ErrUnavailable, all, "cannot be reached"},

		{"cut off at its limit", ending(func(s speech) string { return s.limit }), "", kaijutsu.ErrTooLarge, once, "--llm-max-tokens"},
		{"declined", ending(func(s speech) string { return s.refusal }), "", kaijutsu.ErrDenied, once, "declined"},
		{"the window is full", ending(func(speech) string { return "model_context_window_exceeded" }), Anthropic, kaijutsu.ErrTooLarge, once, "more than the model can hold"},
		{"an unknown ending", ending(func(speech) string { return "tool_calls" }), "", kaijutsu.ErrUnavailable, once, `"tool_calls"`},
		{"declined in other words", broken(func(s speech, w http.ResponseWriter) {
			event(w, "", chunkJSON(`{"refusal":"I cannot help with that."}`, "null"))
			s.end(w, "stop", 1, 1)
		}), OpenAI, kaijutsu.ErrDenied, once, "declined"},
		{"an empty answer", broken(func(s speech, w http.ResponseWriter) {
			s.begin(w)
			s.delta(w, " \n")
			s.end(w, s.stop, 10, 0)
		}), "", kaijutsu.ErrUnavailable, all, "empty"},
		{"nothing but thoughts", broken(func(s speech, w http.ResponseWriter) {
			s.delta(w, "<think>hm")
			s.end(w, s.stop, 10, 0)
		}), OpenAI, kaijutsu.ErrUnavailable, all, "empty"},
		{"a stream that ends early", broken(func(s speech, w http.ResponseWriter) {
			s.begin(w)
			s.delta(w, "half a ")
		}), "", kaijutsu.ErrUnavailable, all, "ended before the answer did"},
		{"a stream of nothing", broken(func(speech, http.ResponseWriter) {}), "", kaijutsu.ErrUnavailable, all, "ended before the answer did"},
		{"[DONE] and no reason", broken(func(s speech, w http.ResponseWriter) {
			s.delta(w, "half a ")
			event(w, "", "[DONE]")
		}), OpenAI, kaijutsu.ErrUnavailable, all, "ended before the answer did"},
		{"an end without a reason", broken(func(s speech, w http.ResponseWriter) {
			s.begin(w)
			s.delta(w, "half a ")
			event(w, "message_stop", `{"type":"message_stop"}`)
		}), Anthropic, kaijutsu.ErrUnavailable, once, "not known here"},
		{"a connection that breaks half way", broken(func(s speech, w http.ResponseWriter) {
			s.begin(w)
			s.delta(w, "half a ")
			cuts(w)
		}), "", kaijutsu.ErrUnavailable, all, "the stream broke"},
		{"an error half way", broken(func(s speech, w http.ResponseWriter) {
			s.begin(w)
			s.delta(w, "half a ")
			event(w, "error", `{"type":"error","error":{"details":null,"type":"overloaded_error","message":"Overloaded"}}`)
		}), Anthropic, kaijutsu.ErrUnavailable, all, "overloaded_error"},
		{"an error half way of vLLM", broken(func(s speech, w http.ResponseWriter) {
			s.delta(w, "half a ")
			event(w, "", `{"error":{"object":"error","message":"`+testWords+`","type":"InternalServerError","param":null,"code":500}}`)
		}), OpenAI, kaijutsu.ErrUnavailable, all, "InternalServerError"},
		{"an error half way that stays", broken(func(s speech, w http.ResponseWriter) {
			event(w, "error", s.problem("invalid_request_error", "", "no"))
		}), "", kaijutsu.ErrInvalid, once, "takes the request for wrong"},
		{"garbage", broken(func(s speech, w http.ResponseWriter) { event(w, "message_start", "}{") }), "", kaijutsu.ErrUnavailable, all, "not the API's"},
		{"other types", broken(func(s speech, w http.ResponseWriter) {
			event(w, "", `{"type":"content_block_delta","delta":[1],"choices":"none"}`)
		}), "", kaijutsu.ErrUnavailable, all, "not the API's"},
		{"an answer without end", broken(func(s speech, w http.ResponseWriter) {
			s.begin(w)
			for range drift.MaxContent/(64<<10) + 2 {
				s.delta(w, strings.Repeat("word ", 13<<10))
			}
			s.end(w, s.stop, 1, 1)
		}), "", kaijutsu.ErrTooLarge, once, "longer than"},
		{"an event without end", broken(func(_ speech, w http.ResponseWriter) {
			_, _ = io.WriteString(w, "data: "+strings.Repeat("x", maxLineBytes+1))
		}), "", kaijutsu.ErrTooLarge, once, "event of more than"},
		{"lines without end", broken(func(_ speech, w http.ResponseWriter) {
			for range maxEventBytes/(512<<10) + 2 {
				_, _ = io.WriteString(w, "data: "+strings.Repeat("x", 512<<10)+"\n")
			}
		}), "", kaijutsu.ErrTooLarge, once, "event of more than"},
		{"a stream without end", broken(func(s speech, w http.ResponseWriter) {
			for range maxStream/(512<<10) + 2 {
				_, _ = io.WriteString(w, ": "+strings.Repeat("x", 512<<10)+"\n")
			}
		}), "", kaijutsu.ErrTooLarge, once, "for one answer"},
	}
	for _, tt := range tests {
		for _, s := range speeches {
			if tt.only != "" && tt.only != s.provider {
				continue
			}
			t.Run(s.provider+"/"+tt.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var log bytes.Buffer
					f := &fake{answers: []http.HandlerFunc{tt.answer(s)}}
					m := f.start(t, Config{Provider: s.provider, Log: slog.New(slog.NewTextHandler(&log, nil))})
					got, err := m.Distil(t.Context(), drift.Request{Source: source()})
					if !errors.Is(err, tt.kind) || got.Text != "" {
						t.Fatalf("briefing = %+v, %v, want an error of kind %v", got, err, tt.kind)
					}
					has(t, err.Error(), "ask "+s.provider+" tester-1: ", tt.words)
					has(t, log.String(), "a model was asked in vain", fmt.Sprintf("attempts=%d", tt.attempts))
					if n := len(f.requests()); n != tt.attempts {
						t.Errorf("asked %d times, want %d", n, tt.attempts)
					}
				})
			})
		}
	}
}

// TestDamagedText: text that is cut between the bytes of a character, or between
// the halves of a surrogate pair, is never taken for an answer.
func TestDamagedText(t *testing.T) {
	for name, raw := range map[string]string{"bytes": "\xf0\x9f", "half a pair": `\ud83d`} {
		for _, s := range speeches {
			t.Run(s.provider+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := &fake{answers: []http.HandlerFunc{streams(func(w http.ResponseWriter, _ *http.Request) {
						s.begin(w)
						var b strings.Builder
						s.delta(&b, "PLACE")
						_, _ = io.WriteString(w, strings.Replace(b.String(), "PLACE", raw, 1))
						s.end(w, s.stop, 1, 1)
					})}}
					got, err := f.start(t, Config{Provider: s.provider}).Distil(t.Context(), drift.Request{Source: source()})
					if !errors.Is(err, kaijutsu.ErrUnavailable) || !strings.Contains(err.Error(), "not UTF-8") {
						t.Errorf("briefing = %q, %v, want an error", got.Text, err)
					}
				})
			})
		}
	}
}
