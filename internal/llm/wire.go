package llm

import (
	"encoding/json"
	"net/http"
	"net/url"
)

// wire is how a provider's API is spoken.
type wire interface {
	// endpoint returns the address that is posted to.
	endpoint(base *url.URL) string
	// header adds what the API wants in each request.
	header(h http.Header, key string)
	// body returns what is posted. other says to name the limit of tokens by its
	// other name, if it has one.
	body(p prompt, other bool) ([]byte, error)
	// read reads a stream to its end. Its error is a *failure, or the reader's.
	// io.EOF: the stream ended before the answer did.
	read(e *events, a *answer) (ending, error)
	// problem reads what the body of an error says.
	problem(body []byte) problem
}

// prompt is what a model is asked.
type prompt struct {
	model, system, user string
	maxTokens           int
}

// problem is what a server says of an error: bounded by nobody yet.
type problem struct {
	kind, code, param, message string
}

// text is a JSON value that should be a string: of those that are not, as a
// number where a code is expected, it keeps the JSON.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*t = text(s)
	} else {
		*t = text(b)
	}
	return nil
}

// errorJSON is the object of an error: both providers' is of this shape.
type errorJSON struct {
	Type    text `json:"type"`
	Code    text `json:"code"`
	Param   text `json:"param"`
	Message text `json:"message"`
}

func (e errorJSON) problem() problem {
	return problem{string(e.Type), string(e.Code), string(e.Param), string(e.Message)}
}

// parseProblem reads the body of an error: {"error":{…}}, {"error":"…"}, or, as
// some servers have it, the object itself.
func parseProblem(body []byte) problem {
	var outer struct {
		Error json.RawMessage `json:"error"`
		errorJSON
	}
	if json.Unmarshal(body, &outer) != nil {
		return problem{}
	}
	if len(outer.Error) == 0 {
		return outer.problem()
	}
	var inner errorJSON
	if json.Unmarshal(outer.Error, &inner) != nil {
		var words text
		_ = words.UnmarshalJSON(outer.Error) // which takes anything
		return problem{message: string(words)}
	}
	return inner.problem()
}

// tokens is a number of tokens as a server says it, within reason.
func tokens(n int) int { return min(max(n, 0), 1<<30) }
