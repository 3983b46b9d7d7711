package link

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/url"
	"regexp"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/internal/op"
)

const (
	prefix        = "link/" // of the records
	recordVersion = 1
	maxURL        = 2048
	maxToken      = 4096
	maxLinks      = 256
)

var kernelName = regexp.MustCompile(`^[a-z0-9-]{1,32}$`)

// Link says where another kernel is and how to be let in.
type Link struct {
	// Kernel is the other kernel's name, as its server tells it.
	Kernel string
	// URL is the address of its server, without a path of an operation:
	// "https://kj.example.org".
	URL string
	// Token is one that its owner made.
	Token string
	// Plain allows an http address that is not of this machine. Whoever stands
	// between can read the token and the drifts then.
	Plain bool
}

// Shown is a link as it may be seen: without its token.
type Shown struct {
	Kernel string
	URL    string // "" for those who do not own the kernel
	Plain  bool
	By     kaijutsu.Principal // who set it
	At     time.Time
	// Unread says that the record cannot be read, and why; the link does not
	// work until it is set anew.
	Unread string
}

// String leaves the token out, also for logs.
func (l Link) String() string { return l.Kernel + " at " + l.URL }

// GoString is String.
func (l Link) GoString() string { return l.String() }

type whoRow struct {
	Name string                 `json:"name"`
	Kind kaijutsu.PrincipalKind `json:"kind"`
}

type row struct {
	V     int       `json:"v"`
	URL   string    `json:"url"`
	Token string    `json:"token"`
	Plain bool      `json:"plain,omitempty"`
	By    whoRow    `json:"by"`
	At    time.Time `json:"at"`
}

// check returns the link with its address in the form in which it is kept. The
// error wraps kaijutsu.ErrInvalid and names the field.
func (l Link) check(own string) (Link, error) {
	switch {
	case !kernelName.MatchString(l.Kernel):
		return l, &op.FieldError{Field: "name", Reason: fmt.Sprintf("%.64q is no kernel's name", l.Kernel), Hint: "want 1 to 32 of a to z, 0 to 9 and -, as the other server's status says"}
	case l.Kernel == own:
		return l, &op.FieldError{Field: "name", Reason: fmt.Sprintf("%q is this kernel", own), Hint: "a link leads to another one; two kernels that know each other need two names"}
	}
	var err error
	if l.URL, err = checkURL(l.URL, l.Plain); err != nil {
		return l, err
	}
	return l, checkToken(l.Token)
}

func checkURL(text string, plain bool) (string, error) {
	bad := func(reason string, hint string) (string, error) {
		return "", &op.FieldError{Field: "url", Reason: reason, Hint: hint}
	}
	if len(text) > maxURL {
		return bad(fmt.Sprintf("it has %d bytes", len(text)), fmt.Sprintf("at most %d", maxURL))
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return bad("it is no address of a server", "want https://host or https://host:port")
	}
	switch {
	case u.User != nil:
		return bad("it holds a name or password", "give the token by itself")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return bad("it holds a query or a fragment", "give the token by itself, and the server's address alone")
	case u.Scheme == "http" && !plain && !loopback(u.Hostname()):
		return bad("over plain http the token and the drifts can be read on the way", "use https, or say plain to allow it")
	}
	return strings.TrimRight(u.Scheme+"://"+u.Host+u.EscapedPath(), "/"), nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func checkToken(token string) error {
	field := func(reason string) error {
		return &op.FieldError{Field: "token", Reason: reason, Hint: "pass the one that the other kernel's owner made with kj token create"}
	}
	switch {
	case token == "":
		return field("there is none")
	case len(token) > maxToken:
		return field(fmt.Sprintf("it has %d bytes, at most %d", len(token), maxToken))
	}
	for _, r := range token {
		if r <= ' ' || r > '~' {
			return field("it holds a character that no token has")
		}
	}
	return nil
}

// decodeRow reads a record; nothing in it is passed over, and what was set
// wrongly is no link.
func decodeRow(kernel, own string, value []byte) (row, error) {
	var r row
	if err := strictly(value, &r); err != nil {
		return row{}, err
	}
	if r.V != recordVersion {
		return row{}, fmt.Errorf("it is of version %d, this server reads %d: %w", r.V, recordVersion, kaijutsu.ErrInvalid)
	}
	l, err := Link{kernel, r.URL, r.Token, r.Plain}.check(own)
	r.URL = l.URL
	return r, err
}

// strictly decodes one JSON value without unknown fields. The error does not
// quote what it could not read.
func strictly(data []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("%d bytes that are not what is expected: %w", len(data), kaijutsu.ErrInvalid)
	}
	if _, err := dec.Token(); err != io.EOF {
		return fmt.Errorf("something stands behind the value: %w", kaijutsu.ErrInvalid)
	}
	return nil
}
