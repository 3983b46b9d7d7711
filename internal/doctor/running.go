package doctor

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	"kaijutsu"
)

// Server is a server that runs.
type Server struct {
	URL string
	// Call runs an operation.
	Call func(ctx context.Context, operation string, params json.RawMessage) (json.RawMessage, error)
	// Time asks the server's clock; nil: it is not asked.
	Time func(ctx context.Context) (time.Time, error)
}

// scrubPoll is how often the check of the disk is asked how far it is.
const scrubPoll = 300 * time.Millisecond

// scrubBegins is how many times it is asked before it is given up that it has
// not begun.
const scrubBegins = 30

// Ask looks over a server that runs. With a directory in o it is the server's,
// and its files are looked at too. The error is that of the first operation that
// could not be asked: who asks needs the right to own the kernel.
func Ask(ctx context.Context, s Server, o Options) (*Report, error) {
	r := &Report{Running: true}
	if o.Dir != "" {
		r.files(o)
	}
	for _, look := range []func(context.Context, Server, Options) error{r.node, r.disk, r.askQuarantine, r.mounts, r.askBackup, r.tlsOf, r.clockOf} {
		if err := look(ctx, s, o); err != nil {
			return r, err
		}
	}
	return r, nil
}

// call runs an operation and reads what is of interest of its result.
func call[T any](ctx context.Context, s Server, operation string, params any) (out T, err error) {
	in, err := json.Marshal(params)
	if err != nil {
		return out, err
	}
	result, err := s.Call(ctx, operation, in)
	if err == nil {
		err = json.Unmarshal(result, &out)
	}
	if err != nil {
		return out, fmt.Errorf("%s: %w", operation, err)
	}
	return out, nil
}

type none struct{}

func (r *Report) node(ctx context.Context, s Server, _ Options) error {
	node, err := call[struct {
		NATS struct {
			Embedded, Connected bool
			Server              string
		} `json:"nats"`
		Nodes    []none   `json:"nodes"`
		Problems []string `json:"problems"`
	}](ctx, s, "node_status", none{})
	if err != nil {
		return err
	}
	for _, p := range node.Problems {
		r.wrong("node", p, "kj status tells more", "")
	}
	switch {
	case node.NATS.Embedded:
		r.sound("nats", "inside the server: it is alone")
	case node.NATS.Connected:
		r.sound("nats", "connected to %s, %d nodes", node.NATS.Server, len(node.Nodes))
	default:
		r.wrong("nats", "not connected: "+node.NATS.Server, "other nodes get nothing until it is back; editing goes on", "start it, or see whether it can be reached from here")
	}
	return nil
}

// storageCheck is what the operations say of the disk.
type storageCheck struct {
	Scrub *struct {
		Documents     uint64 `json:"documents"`
		DocumentsDone uint64 `json:"documents_done"`
	} `json:"scrub"`
	Last *struct {
		Ended     string `json:"ended"`
		Documents uint64 `json:"documents"`
		Bytes     int64  `json:"bytes"`
		Damaged   int    `json:"damaged"`
	} `json:"last_scrub"`
	Which []struct {
		Document string `json:"document"`
		Why      string `json:"why"`
	} `json:"damaged_documents"`
	Repaired uint64 `json:"repaired_tables"`
	Failures uint64 `json:"failures"`
}

// disk has everything read, and waits for it.
func (r *Report) disk(ctx context.Context, s Server, o Options) error {
	status, err := call[struct {
		Storage struct {
			FreeBytes int64  `json:"free_bytes"`
			Trouble   string `json:"trouble"`
		} `json:"storage"`
	}](ctx, s, "server_status", none{})
	if err != nil {
		return err
	}
	if t := status.Storage.Trouble; t != "" {
		r.wrong("store", t, "edits are refused, and editors keep them", "free some space; the server goes on by itself")
	}
	check, err := call[storageCheck](ctx, s, "storage_scrub", none{})
	// It begins a little after the answer.
	for polls := 0; err == nil && (polls == 0 || check.Scrub != nil || check.Last == nil && polls < scrubBegins); polls++ {
		if o.Progress != nil && check.Scrub != nil {
			o.Progress(check.Scrub.DocumentsDone, check.Scrub.Documents)
		}
		select {
		case <-time.After(scrubPoll):
		case <-ctx.Done():
			return ctx.Err()
		}
		check, err = call[storageCheck](ctx, s, "storage_scrub", map[string]bool{"start": false})
	}
	if err != nil {
		return err
	}
	if check.Failures > 0 {
		r.wrong("store", fmt.Sprintf("the disk failed at %d writes since the start", check.Failures), "nothing of them was acknowledged, but a disk that fails will again",
			"look at the disk: dmesg, smartctl; take a backup")
	}
	for _, d := range check.Which {
		r.mendRunning(ctx, s, o, d.Document, d.Why)
	}
	switch last := check.Last; {
	case last == nil:
		r.advice("documents", "the check of the disk was not finished", "nobody knows whether everything can be read", "kj storage scrub")
	case last.Damaged > 0 && len(check.Which) == 0:
		r.wrong("tables", fmt.Sprintf("the last check found %d damaged tables, records or documents", last.Damaged), "what they hold may be missing", "see the server's log; kj restore BACKUP")
	case len(check.Which) == 0:
		r.sound("documents", "%d of %s read: checksums, hashes and heads are what they should be", last.Documents, size(last.Bytes))
	}
	return nil
}

func (r *Report) mendRunning(ctx context.Context, s Server, o Options, doc, reason string) {
	what := fmt.Sprintf("document %s is damaged: %s", doc, withoutHint(reason))
	const why = "it alone cannot be opened; the others can"
	if !o.Mend {
		r.wrong("documents", what, why, "kj doctor --mend, or kj storage mend "+doc+": it is set aside, and whoever holds it brings it back")
		return
	}
	m, err := call[struct {
		Aside   string `json:"set_aside_to"`
		Changes uint64 `json:"changes"`
		Had     uint64 `json:"had"`
		Short   bool   `json:"short"`
	}](ctx, s, "storage_mend", map[string]string{"document": doc})
	if err != nil {
		r.wrong("documents", what+"; "+err.Error(), why, "kj restore BACKUP")
		return
	}
	how := mendedWords(m.Aside, m.Changes, m.Had, m.Short)
	r.mended("documents", what, why, how)
}

func (r *Report) askQuarantine(ctx context.Context, s Server, _ Options) error {
	list, err := call[struct {
		Entries []struct {
			Document string `json:"document"`
			Context  string `json:"context"`
			Change   string `json:"change"`
			Kind     string `json:"kind"`
			Why      string `json:"why"`
			ReadOnly bool   `json:"read_only"`
			Closed   bool   `json:"closed"`
		} `json:"entries"`
	}](ctx, s, "quarantine_list", none{})
	if err != nil {
		return err
	}
	for _, e := range list.Entries {
		doc := e.Context
		if doc == "" {
			doc = e.Document
		}
		r.quarantinedEntry(doc, e.Change, e.Kind, e.Why, e.ReadOnly, e.Closed)
	}
	if len(list.Entries) == 0 {
		r.sound("quarantine", "empty")
	}
	return nil
}

func (r *Report) mounts(ctx context.Context, s Server, _ Options) error {
	list, err := call[struct {
		Mounts []struct {
			Path      string `json:"path"`
			State     string `json:"state"`
			Reason    string `json:"reason"`
			Conflicts int    `json:"conflicts"`
		} `json:"mounts"`
	}](ctx, s, "mount_list", none{})
	if err != nil {
		return err
	}
	bad := len(r.Findings)
	for _, m := range list.Mounts {
		switch {
		case m.State == "failed" || m.State == "paused":
			r.wrong("mounts", fmt.Sprintf("%s is %s: %s", m.Path, m.State, m.Reason), "its files and blocks are not kept in step", "mend what the reason says; the server tries again by itself")
		case m.Conflicts > 0:
			r.advice("mounts", fmt.Sprintf("%s has %d conflicts", m.Path, m.Conflicts), "block and file contradict each other, and the file waits", "kj fs resolve")
		}
	}
	if len(r.Findings) == bad {
		r.sound("mounts", "%d, none of which is in trouble", len(list.Mounts))
	}
	return nil
}

func (r *Report) askBackup(ctx context.Context, s Server, o Options) error {
	status, err := call[struct {
		Last *struct {
			At time.Time `json:"at"`
		} `json:"last"`
	}](ctx, s, "server_backup", none{})
	if err != nil {
		return err
	}
	var at time.Time
	if status.Last != nil {
		at = status.Last.At
	}
	r.backupAge(at, o.Now)
	return nil
}

// tlsOf looks at the certificate that the server shows.
func (r *Report) tlsOf(ctx context.Context, s Server, o Options) error {
	u, err := url.Parse(s.URL)
	if err != nil || u.Scheme != "https" {
		return nil
	}
	host := u.Host
	if u.Port() == "" {
		host = net.JoinHostPort(u.Hostname(), "443")
	}
	// Whether it is trusted is another question than when it ends.
	conn, err := (&tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}).DialContext(ctx, "tcp", host)
	if err != nil {
		r.wrong("certificates", err.Error(), "browsers and editors do not connect", "see the server's log")
		return nil
	}
	defer conn.Close()
	if shown := conn.(*tls.Conn).ConnectionState().PeerCertificates; len(shown) > 0 {
		r.certificate(s.URL, shown[0], o.Now)
	}
	return nil
}

// farApart is how much two clocks may differ.
const farApart = 30 * time.Second

func (r *Report) clockOf(ctx context.Context, s Server, o Options) error {
	if s.Time == nil {
		return nil
	}
	at, err := s.Time(ctx)
	if errors.Is(err, kaijutsu.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if apart := at.Sub(o.Now).Abs(); apart > farApart {
		r.wrong("clock", fmt.Sprintf("the server's clock and this one are %v apart", apart.Round(time.Second)), "times of edits, tokens that expire and certificates go by the clock",
			"set the clock, and have it kept: timedatectl set-ntp true")
	}
	return nil
}
