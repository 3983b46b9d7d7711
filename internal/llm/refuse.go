package llm

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"kaijutsu"
)

// refused is what an answer without success means.
func (m *model) refused(resp *http.Response, body []byte, p prompt) *failure {
	said := m.wire.problem(body)
	f := m.meaning(resp, said, p)
	f.code = resp.StatusCode
	f.after = retryAfter(resp.Header, time.Now())
	switch resp.Header.Get("X-Should-Retry") { // both providers say so where they know better
	case "true":
		f.retry = true
	case "false":
		f.retry = false
	}
	return f
}

// meaning maps status and error to a failure.
func (m *model) meaning(resp *http.Response, said problem, p prompt) *failure {
	code := resp.StatusCode
	words := m.repeat(said, p)
	switch {
	case code == http.StatusUnauthorized || code == http.StatusForbidden: // its message may have parts of the key
		if m.cfg.Key == "" {
			return final(kaijutsu.ErrDenied, "the server answers %d and wants a key: give one (kj serve --llm-key-file)", code)
		}
		return final(kaijutsu.ErrDenied, "the server answers %d and refuses the key: mend it (kj serve --llm-key-file)", code)
	case code == http.StatusPaymentRequired || noCredit(said):
		return final(kaijutsu.ErrUnavailable, "the provider answers %d: the account has no credit left; see to it there", code)
	case code == http.StatusNotFound:
		return final(kaijutsu.ErrNotFound, "the server at %s answers 404%s: mend the model (kj serve --llm-model) or the address (kj serve --llm-url)", m.url, words)
	case code == http.StatusRequestEntityTooLarge || tooLong(said):
		return final(kaijutsu.ErrTooLarge, "the conversation is longer than the model takes%s: distil less, or with another model (kj serve --llm-model)", words)
	case code >= 300 && code < 400:
		return final(kaijutsu.ErrInvalid, "the server at %s answers %d and sends us elsewhere: mend the address (kj serve --llm-url)", m.url, code)
	case code == http.StatusTooManyRequests:
		return again(kaijutsu.ErrUnavailable, "the provider answers 429: too many requests%s; try later", words)
	case code >= 500 || code == http.StatusRequestTimeout || code == http.StatusConflict || code == http.StatusTooEarly:
		return again(kaijutsu.ErrUnavailable, "the server answers %d%s; try later", code, words)
	case code >= 400:
		f := final(kaijutsu.ErrInvalid, "the server answers %d%s", code, words)
		f.swap = said.wantsOther()
		return f
	}
	return final(kaijutsu.ErrUnavailable, "the server answers %d, which means nothing here: mend the address (kj serve --llm-url)", code)
}

// noCredit reports whether an error says that the account is empty. Anthropic
// says so of a request that it calls invalid, in words only.
func noCredit(said problem) bool {
	return said.code == "insufficient_quota" || said.kind == "billing_error" ||
		strings.Contains(strings.ToLower(said.message), "credit balance is too low")
}

// tooLong reports whether an error says that the prompt is longer than the model
// takes. There is a code for that at OpenAI only.
func tooLong(said problem) bool {
	if said.code == "context_length_exceeded" || said.kind == "request_too_large" || said.kind == "exceed_context_size_error" {
		return true
	}
	message := strings.ToLower(said.message)
	for _, words := range []string{"prompt is too long", "maximum context length", "context length exceeded", "exceeds the available context size", "exceed context limit", "input is too long"} {
		if strings.Contains(message, words) {
			return true
		}
	}
	return false
}

// repeat returns a server's message so that it can be shown: short, printable,
// without the key, and without what it repeats of the text.
func (m *model) repeat(said problem, p prompt) string {
	message := said.message
	if m.cfg.Key != "" && strings.Contains(message, m.cfg.Key) {
		return ", with a message that has the key in it"
	}
	if repeats(message, p.user) {
		return ", with a message that repeats the text"
	}
	message = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unprintable(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(message, "")))
	if short := []rune(message); len(short) > 200 {
		message = string(short[:200]) + "…"
	}
	if message == "" {
		message = said.name()
	}
	if message == "" {
		return ""
	}
	return " (" + strings.TrimSuffix(message, ".") + ")"
}

// repeats reports whether a message has 24 bytes of a text in it.
func repeats(message, text string) bool {
	const run = 24
	for i := 0; i+run <= len(message) && i < 4<<10; i++ {
		if strings.Contains(text, message[i:i+run]) {
			return true
		}
	}
	return false
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// retryAfter returns how long a server wants to be left alone; 0 when it says
// nothing. RFC 9110, section 10.2.3, and the header in milliseconds that both
// providers send with it.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil && s > 0 && s < 1e6 {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

// delay is how long to wait before the next attempt: at least what the server
// wants, else half a second, twice as long each time, up to 8 s, less up to a
// quarter, so that many do not come back at once.
func delay(failed int, after time.Duration) time.Duration {
	if after > 0 {
		return after
	}
	d := min(500*time.Millisecond<<min(failed, 5), 8*time.Second)
	return d - rand.N(d/4)
}

// wait waits for the next attempt. Where there is no time for one, the failure
// is the error at once, with what the server said of when to come back.
func wait(ctx context.Context, d time.Duration, f *failure) error {
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= d {
		if f.after > 0 {
			f.text += "; it wants to be left alone for " + f.after.Round(time.Second).String()
		}
		return f
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
