package llm

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"kaijutsu"
)

// messages is the Anthropic Messages API, version 2023-06-01.
type messages struct{}

func (*messages) endpoint(base *url.URL) string {
	if strings.HasSuffix(base.Path, "/v1") {
		return base.String() + "/messages"
	}
	return base.String() + "/v1/messages"
}

func (*messages) header(h http.Header, key string) {
	h.Set("Anthropic-Version", "2023-06-01")
	if key != "" {
		h.Set("X-Api-Key", key)
	}
}

func (*messages) body(p prompt, _ bool) ([]byte, error) {
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	return json.Marshal(struct {
		Model     string    `json:"model"`
		MaxTokens int       `json:"max_tokens"`
		System    string    `json:"system"`
		Messages  []message `json:"messages"`
		Stream    bool      `json:"stream"`
	}{p.model, p.maxTokens, p.system, []message{{"user", p.user}}, true})
}

func (*messages) problem(body []byte) problem { return parseProblem(body) }

// messageEvent is any event of a stream; those of other types are passed over,
// as the API's versioning wants.
type messageEvent struct {
	Type    string `json:"type"`
	Message struct {
		Model string       `json:"model"`
		Usage messageUsage `json:"usage"`
	} `json:"message"`
	Delta struct {
		Type       string `json:"type"`
		Text       string `json:"text"`
		StopReason string `json:"stop_reason"`
	} `json:"delta"`
	Block struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content_block"`
	Usage *messageUsage `json:"usage"`
	Error errorJSON     `json:"error"`
}

// messageUsage is counted in tokens. In message_delta it is of the whole
// message so far, and names the input only where that has become another.
type messageUsage struct {
	Input  int `json:"input_tokens"`
	Made   int `json:"cache_creation_input_tokens"`
	Cached int `json:"cache_read_input_tokens"`
	Output int `json:"output_tokens"`
}

func (u messageUsage) in() int { return tokens(u.Input) + tokens(u.Made) + tokens(u.Cached) }

func (*messages) read(e *events, a *answer) (ending, error) {
	for {
		_, data, err := e.next()
		if err != nil {
			return endUnknown, err
		}
		var v messageEvent
		if err := json.Unmarshal(data, &v); err != nil {
			return endUnknown, garbage()
		}
		switch v.Type {
		case "message_start":
			a.began, a.model = true, v.Message.Model
			a.in, a.out = v.Message.Usage.in(), tokens(v.Message.Usage.Output)
		case "content_block_start":
			if v.Block.Type == "text" {
				err = a.add(v.Block.Text, data)
			}
		case "content_block_delta":
			if v.Delta.Type == "text_delta" {
				err = a.add(v.Delta.Text, data)
			}
		case "message_delta":
			if v.Delta.StopReason != "" {
				a.stop = v.Delta.StopReason
			}
			if v.Usage != nil {
				a.in, a.out, a.counted = max(a.in, v.Usage.in()), tokens(v.Usage.Output), true
			}
		case "message_stop":
			return messageEnding(a.stop), nil
		case "error":
			return endUnknown, broken(v.Error.problem())
		}
		if err != nil {
			return endUnknown, err
		}
	}
}

// messageEnding is what a stop_reason means:
// https://docs.anthropic.com/en/api/handling-stop-reasons.
func messageEnding(reason string) ending {
	switch reason {
	case "end_turn", "stop_sequence":
		return endWhole
	case "max_tokens":
		return endTokens
	case "model_context_window_exceeded":
		return endWindow
	case "refusal":
		return endDeclined
	}
	return endUnknown
}

// garbage is an event that is not what the API sends.
func garbage() *failure {
	return again(kaijutsu.ErrUnavailable, "the stream broke: it holds an event that is not the API's; if that stays so, look at the address (kj serve --llm-url)")
}

// broken is an error that came inside a stream.
func broken(p problem) *failure {
	switch p.kind {
	case "invalid_request_error", "BadRequestError":
		return final(kaijutsu.ErrInvalid, "the server ended the answer: it takes the request for wrong")
	case "authentication_error", "permission_error":
		return final(kaijutsu.ErrDenied, "the server ended the answer: it refuses the key; mend it (kj serve --llm-key-file)")
	}
	return again(kaijutsu.ErrUnavailable, "the server ended the answer with the error %s", quoted(p.name()))
}

// name is a short word for the problem.
func (p problem) name() string {
	if p.kind != "" {
		return p.kind
	}
	return p.code
}
