package llm

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// completions are the chat completions of OpenAI and of the servers that copied
// them.
type completions struct{}

func (*completions) endpoint(base *url.URL) string { return base.String() + "/chat/completions" }

func (*completions) header(h http.Header, key string) {
	if key != "" {
		h.Set("Authorization", "Bearer "+key)
	}
}

// body names the limit of tokens max_tokens, which all servers know. Newer models
// of OpenAI refuse that and want max_completion_tokens: the other name.
func (*completions) body(p prompt, other bool) ([]byte, error) {
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	type options struct {
		IncludeUsage bool `json:"include_usage"`
	}
	v := struct {
		Model               string    `json:"model"`
		Messages            []message `json:"messages"`
		MaxTokens           int       `json:"max_tokens,omitempty"`
		MaxCompletionTokens int       `json:"max_completion_tokens,omitempty"`
		Stream              bool      `json:"stream"`
		StreamOptions       options   `json:"stream_options"`
	}{
		Model: p.model, Messages: []message{{"system", p.system}, {"user", p.user}},
		Stream: true, StreamOptions: options{true},
	}
	if other {
		v.MaxCompletionTokens = p.maxTokens
	} else {
		v.MaxTokens = p.maxTokens
	}
	return json.Marshal(v)
}

func (*completions) problem(body []byte) problem { return parseProblem(body) }

// wantsOther reports whether a server asks for the other name of the limit of
// tokens.
func (p problem) wantsOther() bool {
	return p.param == "max_tokens" && p.code == "unsupported_parameter" ||
		strings.Contains(p.message, "max_tokens") && strings.Contains(p.message, "max_completion_tokens")
}

// chunk is one event of a stream.
type chunk struct {
	Object  string   `json:"object"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type choice struct {
	Index int `json:"index"`
	Delta struct {
		Content string `json:"content"`
		Refusal string `json:"refusal"`
	} `json:"delta"`
	FinishReason string `json:"finish_reason"`
}

func (*completions) read(e *events, a *answer) (ending, error) {
	done := false
	for {
		kind, data, err := e.next()
		if err != nil {
			if err == io.EOF && done { // some servers do not say [DONE]
				return chunkEnding(a.stop), nil
			}
			return endUnknown, err
		}
		if bytes.Equal(bytes.TrimSpace(data), []byte("[DONE]")) {
			if !done { // nobody said how it ended
				return endUnknown, io.EOF
			}
			return chunkEnding(a.stop), nil
		}
		var c chunk
		if err := json.Unmarshal(data, &c); err != nil {
			return endUnknown, garbage()
		}
		if kind == "error" || c.Object == "error" || len(c.Error) > 0 && !bytes.Equal(c.Error, []byte("null")) {
			return endUnknown, broken(parseProblem(data))
		}
		a.began = true
		if c.Model != "" {
			a.model = c.Model
		}
		if c.Usage != nil {
			a.in, a.out, a.counted = tokens(c.Usage.Prompt), tokens(c.Usage.Completion), true
		}
		for _, one := range c.Choices {
			if one.Index != 0 {
				continue
			}
			a.declined = a.declined || one.Delta.Refusal != ""
			if err := a.add(one.Delta.Content, data); err != nil {
				return endUnknown, err
			}
			if one.FinishReason != "" {
				a.stop, done = one.FinishReason, true
			}
		}
	}
}

// chunkEnding is what a finish_reason means.
func chunkEnding(reason string) ending {
	switch reason {
	case "stop":
		return endWhole
	case "length":
		return endTokens
	case "content_filter":
		return endDeclined
	}
	return endUnknown
}
