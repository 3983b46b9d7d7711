package link

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"kaijutsu"
)

const (
	// KernelHeader is where a server says, to whoever asks whether it is well,
	// which kernel it is. It answers at WhoPath.
	KernelHeader = "Kaijutsu-Kernel"
	WhoPath      = "/healthz"
	// believed is how long a server is taken for the kernel that it was.
	believed = 10 * time.Second
)

// identity is whom a server was when it was asked.
type identity struct {
	url string
	at  time.Time
}

// astray says that what answers at a link's address is not the kernel that is
// meant. It may be again, and the link can be set anew: an offer is tried later.
type astray struct{ said string }

func (e *astray) Error() string { return e.said }
func (e *astray) Unwrap() error { return kaijutsu.ErrUnavailable }

// wrong says that a link leads to another kernel.
func wrong(link Link, kernel string) error {
	return &astray{fmt.Sprintf("the server at %s is kernel %.64q and not %q: set the link under that name, or with the right address", link.URL, words(kernel), link.Kernel)}
}

// isWrong returns why setting a link makes no sense, nil when it does: the
// server answered, and will do so again.
func isWrong(err error) error {
	var a *astray
	switch {
	case errors.As(err, &a):
		return fmt.Errorf("%s: %w", a.said, kaijutsu.ErrConflict)
	case errors.Is(err, kaijutsu.ErrUnavailable):
		return nil
	}
	return err
}

// verify asks a server which kernel it is, unless it was that kernel a moment
// ago and may says that this is enough. It asks without the token at first, and
// shows that to nobody else. A server that does not let our token see the status
// is believed for now: every offer names its kernel, and every answer too.
func (l *Links) verify(ctx context.Context, link Link, may bool) error {
	l.mu.Lock()
	was := l.known[link.Kernel]
	l.mu.Unlock()
	if now := l.cfg.Now(); may && was.url == link.URL && now.Sub(was.at) < believed && !now.Before(was.at) {
		return nil
	}
	if err := l.who(ctx, link); err != nil {
		l.forget(link.Kernel)
		return err
	}
	var status struct {
		Kernel *string `json:"kernel"`
	}
	err := l.do(ctx, link, "server_status", struct{}{}, func(b []byte) error { return json.Unmarshal(b, &status) })
	switch {
	case errors.Is(err, kaijutsu.ErrNotFound), errors.Is(err, kaijutsu.ErrDenied) && !errors.As(err, new(*unwelcome)):
		// Our token may not see the status.
	case err != nil:
		return err
	case status.Kernel == nil:
		// A server that does not tell.
	case *status.Kernel != link.Kernel:
		l.forget(link.Kernel)
		return wrong(link, *status.Kernel)
	}
	l.mu.Lock()
	l.known[link.Kernel] = identity{link.URL, l.cfg.Now()}
	l.mu.Unlock()
	return nil
}

// who asks a server, without a token, whether it is the kernel that is meant.
func (l *Links) who(ctx context.Context, link Link) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, link.URL+WhoPath, nil)
	if err != nil {
		return fmt.Errorf("link %s: its address makes no request: %w: set it anew", link.Kernel, kaijutsu.ErrInvalid)
	}
	resp, err := l.client.Do(req)
	if err != nil {
		return l.unreached(ctx, link, err)
	}
	defer resp.Body.Close()
	if err := onward(link, resp); err != nil {
		return err
	}
	if _, err := io.CopyN(io.Discard, resp.Body, maxWords); err != nil && err != io.EOF {
		return l.unreached(ctx, link, err)
	}
	switch is := resp.Header.Get(KernelHeader); is {
	case link.Kernel:
		return nil
	case "":
		return fmt.Errorf("the server at %s does not say which kernel it is (status %d): %w: is it a kaijutsu server?", link.URL, resp.StatusCode, kaijutsu.ErrUnavailable)
	default:
		return wrong(link, is)
	}
}

// onward refuses an answer that sends on to another address.
func onward(link Link, resp *http.Response) error {
	if resp.StatusCode < 300 || resp.StatusCode >= 400 {
		return nil
	}
	return &astray{fmt.Sprintf("the server at %s sends on to %.200q: a token goes nowhere else; set the link to the address itself", link.URL, words(resp.Header.Get("Location")))}
}

func (l *Links) forget(kernel string) {
	l.mu.Lock()
	delete(l.known, kernel)
	l.mu.Unlock()
}
