package link

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/internal/op"
	"kaijutsu/internal/records"
)

// Config says what Links work with. Log, Table and Kernel are required.
type Config struct {
	Log *slog.Logger
	// Table holds the links. It is open and stays so for longer than the Links.
	Table *records.Table
	// Kernel is the name of our own kernel.
	Kernel string
	// Transport carries the requests; default one with the usual settings.
	Transport http.RoundTripper
	// Timeout bounds a request as a whole; default 15 s.
	Timeout time.Duration
	// Now is the clock; default time.Now.
	Now func() time.Time
}

// Links are the other kernels that this one knows. They are safe for concurrent
// use.
type Links struct {
	cfg    Config
	client *http.Client

	mu    sync.Mutex
	known map[string]identity // guarded by mu: whom a server was when last asked
}

// Open returns the links that the table holds, and those that will be set.
func Open(cfg Config) (*Links, error) {
	if !kernelName.MatchString(cfg.Kernel) {
		return nil, fmt.Errorf("links of kernel %.64q: %w: want 1 to 32 of a to z, 0 to 9 and -", cfg.Kernel, kaijutsu.ErrInvalid)
	}
	if cfg.Timeout <= 0 {
		cfg.Timeout = 15 * time.Second
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Transport == nil {
		cfg.Transport = http.DefaultTransport.(*http.Transport).Clone()
	}
	return &Links{
		cfg: cfg, known: make(map[string]identity),
		client: &http.Client{
			Transport: cfg.Transport, Timeout: cfg.Timeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// Close ends connections that wait for the next request.
func (l *Links) Close() error {
	l.client.CloseIdleConnections()
	return nil
}

// Set makes a link, or replaces the one of that name, for the owner of the
// kernel. A server that answers and is another kernel is refused, with an error
// that wraps kaijutsu.ErrConflict; one that does not answer now may do so later.
// Other errors wrap kaijutsu.ErrDenied, and ErrInvalid with the field.
func (l *Links) Set(ctx context.Context, c op.Call, link Link) (Shown, error) {
	if err := owns(c); err != nil {
		return Shown{}, fmt.Errorf("set a link: %w", err)
	}
	link, err := link.check(l.cfg.Kernel)
	if err != nil {
		return Shown{}, err
	}
	if _, there := l.cfg.Table.Get(prefix + link.Kernel); !there && l.count() >= maxLinks {
		return Shown{}, fmt.Errorf("set a link: there are %d: %w: remove one first", maxLinks, kaijutsu.ErrTooLarge)
	}
	if err := isWrong(l.verify(ctx, link, false)); err != nil {
		return Shown{}, err
	}
	r := row{recordVersion, link.URL, link.Token, link.Plain, whoRow(c.By), l.cfg.Now().UTC()}
	value, err := json.Marshal(r)
	if err != nil {
		return Shown{}, fmt.Errorf("set link %s: %w", link.Kernel, err)
	}
	if err := l.cfg.Table.Put(ctx, c.By, prefix+link.Kernel, value); err != nil {
		return Shown{}, fmt.Errorf("set link %s: %w", link.Kernel, err)
	}
	l.cfg.Log.Info("link set", "kernel", link.Kernel, "url", link.URL, "by", c.By)
	return r.shown(link.Kernel), nil
}

// List returns the links by name. Only who owns the kernel sees where they lead.
func (l *Links) List(c op.Call) []Shown {
	var out []Shown
	for name, value := range l.cfg.Table.All(prefix) {
		kernel := strings.TrimPrefix(name, prefix)
		r, err := decodeRow(kernel, l.cfg.Kernel, value)
		s := r.shown(kernel)
		if err != nil {
			s = Shown{Kernel: kernel, Unread: err.Error()}
		}
		if owns(c) != nil {
			s = Shown{Kernel: s.Kernel}
		}
		out = append(out, s)
	}
	return out
}

// Remove takes a link away, for the owner of the kernel. The error wraps
// kaijutsu.ErrNotFound and names the links that there are.
func (l *Links) Remove(ctx context.Context, c op.Call, kernel string) (Shown, error) {
	if err := owns(c); err != nil {
		return Shown{}, fmt.Errorf("remove a link: %w", err)
	}
	value, ok := l.cfg.Table.Get(prefix + kernel)
	if !kernelName.MatchString(kernel) || !ok {
		return Shown{}, l.unknown(kernel)
	}
	r, err := decodeRow(kernel, l.cfg.Kernel, value)
	if err != nil {
		r = row{}
	}
	if err := l.cfg.Table.Delete(ctx, c.By, prefix+kernel); err != nil {
		return Shown{}, fmt.Errorf("remove link %s: %w", kernel, err)
	}
	l.forget(kernel)
	return r.shown(kernel), nil
}

// Knows reports whether there is a link to a kernel.
func (l *Links) Knows(kernel string) bool {
	_, ok := l.cfg.Table.Get(prefix + kernel)
	return ok && kernelName.MatchString(kernel)
}

// link returns the link to a kernel.
func (l *Links) link(kernel string) (Link, error) {
	value, ok := l.cfg.Table.Get(prefix + kernel)
	if !ok || !kernelName.MatchString(kernel) {
		return Link{}, l.unknown(kernel)
	}
	r, err := decodeRow(kernel, l.cfg.Kernel, value)
	if err != nil {
		return Link{}, fmt.Errorf("link %s cannot be read: %w: set it anew", kernel, kaijutsu.ErrUnavailable)
	}
	return Link{kernel, r.URL, r.Token, r.Plain}, nil
}

// unknown says that there is no link to a kernel, and which there are.
func (l *Links) unknown(kernel string) error {
	var names []string
	for name := range l.cfg.Table.All(prefix) {
		names = append(names, strings.TrimPrefix(name, prefix))
	}
	if len(names) == 0 {
		return fmt.Errorf("kernel %.64q %w: there are no links to other kernels; their owner makes one with kj drift link-set", kernel, kaijutsu.ErrNotFound)
	}
	said := ""
	if near := op.Nearest(kernel, names); near != "" {
		said = fmt.Sprintf("; did you mean %q?", near)
	}
	return fmt.Errorf("kernel %.64q %w: there are links to %s%s", kernel, kaijutsu.ErrNotFound, strings.Join(names, ", "), said)
}

func (l *Links) count() (n int) {
	for range l.cfg.Table.All(prefix) {
		n++
	}
	return n
}

func (r row) shown(kernel string) Shown {
	return Shown{Kernel: kernel, URL: r.URL, Plain: r.Plain, By: kaijutsu.Principal(r.By), At: r.At}
}

// owns refuses callers that do not own the kernel.
func owns(c op.Call) error {
	if c.Right < kaijutsu.RightOwn {
		return fmt.Errorf("%s is not an owner of the kernel: %w", c.By, kaijutsu.ErrDenied)
	}
	return nil
}
