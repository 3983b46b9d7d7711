package llm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"time"

	"kaijutsu"
)

const (
	// maxStream is the most bytes of a stream: what is around each word of a long
	// answer is thirty times the word.
	maxStream = 32 << 20
	// maxProblem is the most that is read of an error.
	maxProblem = 64 << 10
)

var (
	errTimeout = errors.New("timeout")
	errSilent  = errors.New("silent")
	errHuge    = errors.New("huge")
)

// attempt asks once. The error is a *failure, or the caller's context's.
func (m *model) attempt(ctx context.Context, p prompt, a *answer) (string, error) {
	body, err := m.wire.body(p, m.other.Load())
	if err != nil { // texts always encode
		return "", final(kaijutsu.ErrInvalid, "the request cannot be written")
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	silence := time.AfterFunc(m.cfg.Timeout/2, func() { stop(errSilent) })
	defer silence.Stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url, bytes.NewReader(body))
	if err != nil {
		return "", final(kaijutsu.ErrInvalid, "the address of the API is no URL; mend it (kj serve --llm-url)")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("User-Agent", "kaijutsu")
	m.wire.header(req.Header, m.cfg.Key)
	resp, err := m.client.Do(req)
	if err != nil {
		return "", m.unreached(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(resp.Body, maxProblem)) // what there is of it
		if err := m.ended(ctx); err != nil {
			return "", err
		}
		return "", m.refused(resp, said, p)
	}
	if media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); media != "text/event-stream" {
		return "", final(kaijutsu.ErrUnavailable, "the server answers %s and not a stream of events: it is no API of this kind; mend the address (kj serve --llm-url)", quoted(media))
	}
	how, err := m.wire.read(newEvents(&stream{r: resp.Body, left: maxStream, heard: func() { silence.Reset(m.cfg.Idle) }}), a)
	if err != nil {
		return "", m.cut(ctx, err)
	}
	return a.whole(how)
}

// ended returns why an attempt was ended from here, if it was.
func (m *model) ended(ctx context.Context) error {
	switch cause := context.Cause(ctx); {
	case cause == nil:
		return nil
	case errors.Is(cause, errTimeout):
		return final(kaijutsu.ErrUnavailable, "no whole answer within %v: try later, or wait longer (kj serve --llm-timeout)", m.cfg.Timeout)
	case errors.Is(cause, errSilent):
		return again(kaijutsu.ErrUnavailable, "the server fell silent: try later")
	default:
		return ctx.Err()
	}
}

// unreached is why there is no answer at all. The error of the client has the
// address, which may be shown, and never a header.
func (m *model) unreached(ctx context.Context, err error) error {
	if ended := m.ended(ctx); ended != nil {
		return ended
	}
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	return again(kaijutsu.ErrUnavailable, "the server at %s cannot be reached: %.200s; start it, or mend the address (kj serve --llm-url)", m.url, err)
}

// cut is why a stream ended before the answer did.
func (m *model) cut(ctx context.Context, err error) error {
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	if ended := m.ended(ctx); ended != nil {
		return ended
	}
	switch {
	case errors.Is(err, errHuge):
		return final(kaijutsu.ErrTooLarge, "the server sends more than %d bytes for one answer", maxStream)
	case errors.Is(err, errLongEvent):
		return final(kaijutsu.ErrTooLarge, "the server sends an event of more than %d bytes", maxLineBytes)
	case errors.Is(err, io.EOF):
		return again(kaijutsu.ErrUnavailable, "the stream broke: it ended before the answer did")
	}
	return again(kaijutsu.ErrUnavailable, "the stream broke: %.200s", fmt.Sprint(err))
}

// stream is the body of an answer: bounded, and heard.
type stream struct {
	r     io.Reader
	left  int
	heard func()
}

func (s *stream) Read(p []byte) (int, error) {
	if s.left <= 0 {
		return 0, errHuge
	}
	n, err := s.r.Read(p[:min(len(p), s.left)])
	s.left -= n
	if n > 0 {
		s.heard()
	}
	return n, err
}
