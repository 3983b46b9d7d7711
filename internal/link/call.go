package link

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/op"
)

const (
	maxAnswer = 1 << 20 // bytes of an answer
	maxWords  = 1000    // bytes that are shown of what another server says
)

// Receipt is what became of an offer.
type Receipt struct {
	State   drift.State // StateDelivered or StateHeld
	Block   blocks.ID   // that it became there; empty: none yet
	Context string      // the context that it is for there, a UUID
	Reason  string      // why it is held
}

// Offer offers an item to another kernel: it.To is the address there. An error
// that wraps kaijutsu.ErrUnavailable is for trying later, also when the link leads
// to another kernel; one that wraps ErrDenied says that the other kernel refused
// for good, and why. ErrNotFound, ErrConflict, ErrInvalid and ErrTooLarge are the
// other kernel's complaints, in its words.
//
// Offered again, an item is delivered once: the block's id follows from its own.
func (l *Links) Offer(ctx context.Context, kernel string, it drift.Item) (Receipt, error) {
	link, err := l.link(kernel)
	if err != nil {
		return Receipt{}, err
	}
	if err := l.verify(ctx, link, true); err != nil {
		return Receipt{}, err
	}
	var a Answer
	if err := l.call(ctx, link, "drift_offer", offerOf(it, l.cfg.Kernel, kernel), &a); err != nil {
		return Receipt{}, err
	}
	return receiptOf(link, a)
}

// receiptOf checks an answer.
func receiptOf(link Link, a Answer) (Receipt, error) {
	odd := func(what string) error {
		return fmt.Errorf("kernel %s answers %s: %w: is it a newer server?", link.Kernel, what, kaijutsu.ErrUnavailable)
	}
	if a.Kernel != link.Kernel {
		return Receipt{}, wrong(link, a.Kernel)
	}
	r := Receipt{Block: blocks.ID(a.BlockID), Context: a.Context, Reason: words(a.Reason)}
	if len(r.Block) > 64 || len(r.Context) > 128 || words(a.BlockID) != a.BlockID || words(r.Context) != r.Context {
		return Receipt{}, odd("with ids that are none")
	}
	switch a.State {
	case Delivered:
		if r.Block == "" {
			return Receipt{}, odd("that it delivered, without a block")
		}
		r.State = drift.StateDelivered
	case Held:
		r.State = drift.StateHeld
	case Refused:
		if r.Reason == "" {
			r.Reason = "it gives no reason"
		}
		return Receipt{}, fmt.Errorf("kernel %s refuses: %s: %w", link.Kernel, r.Reason, kaijutsu.ErrDenied)
	default:
		return Receipt{}, odd(fmt.Sprintf("state %.32q", a.State))
	}
	return r, nil
}

// Resolve asks another kernel what a handle of its own names, and returns the
// result of its operation citation_resolve, one JSON object. It does as far as
// that kernel lets our token read. The errors are those of Offer.
func (l *Links) Resolve(ctx context.Context, kernel, handle string) (json.RawMessage, error) {
	link, err := l.link(kernel)
	if err != nil {
		return nil, err
	}
	h, err := drift.ParseHandle(handle)
	if err != nil {
		return nil, err
	}
	if h.Kernel != "" && h.Kernel != kernel {
		return nil, fmt.Errorf("handle of kernel %.64q asked of %q: %w", h.Kernel, kernel, kaijutsu.ErrInvalid)
	}
	if err := l.verify(ctx, link, true); err != nil {
		return nil, err
	}
	h.Kernel = ""
	var out map[string]json.RawMessage
	if err := l.call(ctx, link, "citation_resolve", map[string]string{"handle": h.String()}, &out); err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

// unwelcome says that a server does not know our token.
type unwelcome struct{ error }

func (e *unwelcome) Unwrap() error { return e.error }

// call calls an operation of another kernel; its result is decoded strictly.
func (l *Links) call(ctx context.Context, link Link, name string, in, out any) error {
	err := l.do(ctx, link, name, in, func(b []byte) error { return strictly(b, out) })
	if err == nil {
		return nil
	}
	l.forget(link.Kernel) // it may be another server's address by now
	if errors.As(err, new(*unwelcome)) {
		if other := l.who(ctx, link); other != nil {
			return other // a stranger knows no token of ours
		}
	}
	return err
}

func (l *Links) do(ctx context.Context, link Link, name string, in any, decode func([]byte) error) error {
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("ask kernel %s: %w", link.Kernel, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, link.URL+"/v1/ops/"+name, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("link %s: its address makes no request: %w: set it anew", link.Kernel, kaijutsu.ErrInvalid)
	}
	req.Header.Set("Authorization", "Bearer "+link.Token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := l.client.Do(req)
	if err != nil {
		return l.unreached(ctx, link, err)
	}
	defer resp.Body.Close()
	if err := onward(link, resp); err != nil {
		return err
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return l.unreached(ctx, link, err)
	case len(answer) > maxAnswer:
		return fmt.Errorf("kernel %s answers with more than %d bytes: %w", link.Kernel, maxAnswer, kaijutsu.ErrUnavailable)
	case resp.StatusCode != http.StatusOK:
		return problem(link, resp.StatusCode, answer)
	}
	if err := decode(answer); err != nil {
		return fmt.Errorf("kernel %s answers %d bytes that are no result of %s: %w: is it a newer server?", link.Kernel, len(answer), name, kaijutsu.ErrUnavailable)
	}
	return nil
}

// unreached says why there is no answer. Who asked may have gone.
func (l *Links) unreached(ctx context.Context, link Link, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err
	}
	return fmt.Errorf("kernel %s at %s does not answer: %v: %w", link.Kernel, link.URL, err, kaijutsu.ErrUnavailable)
}

// problem returns the error of an answer that is no result.
func problem(link Link, status int, answer []byte) error {
	var body struct {
		Error op.Problem `json:"error"`
	}
	said := ""
	if json.Unmarshal(answer, &body) == nil {
		said = words(body.Error.Message)
	}
	if status == http.StatusUnauthorized {
		return &unwelcome{fmt.Errorf("kernel %s does not know our token: %w: have its owner make another, and set the link anew", link.Kernel, kaijutsu.ErrDenied)}
	}
	if said == "" {
		return fmt.Errorf("%s answers with status %d: %w: is it a kaijutsu server?", link.URL, status, kaijutsu.ErrUnavailable)
	}
	kind := errors.Unwrap(op.Problem{Kind: body.Error.Kind}.Err())
	if kind == nil || status >= 500 || status == http.StatusTooManyRequests {
		kind = kaijutsu.ErrUnavailable
	}
	return fmt.Errorf("kernel %s says: %s: %w", link.Kernel, said, kind)
}

// words returns what another server says as text that may be shown: bounded,
// on one line, without characters that steer a terminal.
func words(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case r == utf8.RuneError || !unicode.IsPrint(r):
			return -1
		}
		return r
	}, s)
	if len(s) > maxWords {
		n := maxWords
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n] + "…"
	}
	return strings.TrimSpace(s)
}
