package torture

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"kaijutsu"
)

const (
	// partyOf is how many people and agents send drifts, each with a token.
	partyOf = 3
	// targetsEach is how many contexts there are to send to at a time; after
	// targetRounds rounds there are others, so that none grows large.
	targetsEach, targetRounds = 4, 40
	// goOnTimeout is how long what is to happen by itself may take.
	goOnTimeout = 30 * time.Second
	// maxWrong is how many things that are wrong a report of drifts names.
	maxWrong = 40
)

// office is where drifts are sent from: who sends them, between which contexts,
// and what the senders wrote down.
type office struct {
	s     *stage
	r     *Report
	d     *DriftReport
	names []string          // of the senders
	keys  map[string]string // their tokens; that of the owner is each node's own

	sources, targets []string // contexts
	parcels          []*parcel

	mu   sync.Mutex
	apis map[*node]api  // guarded by mu: of the node's present life
	odd  map[string]int // guarded by mu: refusals that may happen
}

// openOffice starts the stage's nodes, with tokens, and makes senders.
func openOffice(ctx context.Context, s *stage, r *Report) (*office, error) {
	ctx, cancel := context.WithTimeout(ctx, setUpTimeout)
	defer cancel()
	if err := s.startServers(ctx); err != nil {
		return nil, err
	}
	if err := s.startNodes(ctx, "--auth", "token"); err != nil {
		return nil, err
	}
	r.Drift = &DriftReport{Cut: make(map[string]int)}
	o := &office{s: s, r: r, d: r.Drift, keys: make(map[string]string), apis: make(map[*node]api), odd: make(map[string]int)}
	for i := range partyOf + 1 {
		name, kind := fmt.Sprintf("sender-%d", i+1), []string{"person", "agent", "agent", "service"}[i]
		if kind == "service" {
			name = carrierName
		} else {
			o.names = append(o.names, name)
		}
		var made struct{ Token string }
		if err := o.at(s.nodes[0], "").call(ctx, "token_create", map[string]any{"name": name, "kind": kind, "role": "editor"}, &made); err != nil {
			return nil, err
		}
		o.keys[name] = made.Token
	}
	for _, n := range s.nodes {
		for name := range o.keys {
			err := s.await(ctx, fmt.Sprintf("node %s knows %s", n.name, name), func() error {
				return o.at(n, name).call(ctx, "drift_queue", map[string]any{}, nil)
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return o, nil
}

// at returns the operations of a node for a sender, "" is the node's owner.
func (o *office) at(n *node, name string) api {
	o.mu.Lock()
	defer o.mu.Unlock()
	a, ok := o.apis[n]
	if !ok {
		a = newAPI(n.url())
		o.apis[n] = a
	}
	if name != "" {
		return a.as(o.keys[name])
	}
	token, err := os.ReadFile(filepath.Join(n.dir, "owner.token"))
	if err != nil {
		return a // what it is used for is refused
	}
	return a.as(strings.TrimSpace(string(token)))
}

// restart starts a node that was killed.
func (o *office) restart(ctx context.Context, n *node) error {
	o.mu.Lock()
	delete(o.apis, n) // its connections are of the life before
	o.mu.Unlock()
	return n.start(ctx)
}

// someone returns a sender.
func (o *office) someone() string { return o.names[o.s.random.IntN(len(o.names))] }

// some returns one of a list.
func some[T any](o *office, list []T) T { return list[o.s.random.IntN(len(list))] }

// newContext makes a context at a node.
func (o *office) newContext(ctx context.Context, n *node, title string) (string, error) {
	var c struct{ ID string }
	err := o.at(n, "").call(ctx, "context_create", map[string]any{"title": title}, &c)
	return c.ID, err
}

// newParcel writes down a drift that is about to be sent.
func (o *office) newParcel(round int, from, to string, given bool) *parcel {
	p := &parcel{round: round, given: given, by: o.someone(), from: from, to: to}
	p.text = fmt.Sprintf("finding %d.%d", round+1, len(o.parcels)+1)
	if given {
		p.id = o.newID()
	}
	o.parcels = append(o.parcels, p)
	return p
}

// newID returns an id for a drift, by the run's random numbers.
func (o *office) newID() string {
	at, random := uint64(time.Now().UnixMilli()), o.s.random
	return fmt.Sprintf("%08x-%04x-7%03x-8%03x-%012x", at>>16, at&0xffff, random.Uint32()>>20, random.Uint32()>>20, random.Uint64()>>16)
}

// send pushes or stages a parcel at a node, perhaps not for the first time.
func (o *office) send(ctx context.Context, n *node, p *parcel) {
	in := map[string]any{"context": p.from, "to": p.to, "content": p.text, "stage": !p.now}
	if p.given {
		in["id"] = p.id
	}
	var out struct{ Drift string }
	if o.ask(ctx, n, p.by, "drift_push", in, &out) == nil {
		p.acked, p.id = true, out.Drift
	}
}

// take cancels a parcel at a node.
func (o *office) take(ctx context.Context, n *node, p *parcel) {
	var out struct{ State string }
	err := o.ask(ctx, n, p.by, "drift_cancel", map[string]any{"item": p.id}, &out)
	var no *refused
	switch {
	case err == nil && (out.State == string(takenBack) || out.State == string(foundDelivered)):
		p.cancel = cancelled(out.State)
	case err == nil:
		o.problem("%s: a cancel is answered with the state %q", p, out.State)
	case errors.As(err, &no):
		// It was delivered before, or is being flushed at another node: it has to come.
	default:
		p.cancel = perhaps
	}
}

// flush asks a node to flush a source; whether it did is seen at the end.
func (o *office) flush(ctx context.Context, n *node, name, source string) {
	var out struct{ Dead int }
	if err := o.ask(ctx, n, name, "drift_flush", map[string]any{"context": source}, &out); err == nil && out.Dead > 0 {
		o.problem("a flush of %s made %d dead letters", source, out.Dead)
	}
}

// ask runs an operation that may be cut off. A refusal is something to look at,
// unless it is one that the fault explains.
func (o *office) ask(ctx context.Context, n *node, name, op string, in, out any) error {
	began := time.Now()
	err := o.at(n, name).call(ctx, op, in, out)
	var no *refused
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case err == nil:
		o.s.ledger.waited(n.name, time.Since(began))
	case !errors.As(err, &no):
		o.d.Cut[op]++
	case op == "drift_cancel" && (no.status == http.StatusNotFound || no.status == http.StatusConflict),
		no.status == http.StatusServiceUnavailable && len(o.s.nodes) > 1: // another node holds the lease
		o.odd[fmt.Sprintf("%s with status %d", op, no.status)]++
	case len(o.r.Problems) < maxWrong:
		o.r.problem("%s by %s is refused: %v", op, name, no)
	}
	return err
}

// problem notes something wrong, of any goroutine.
func (o *office) problem(format string, args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.r.Problems) < maxWrong {
		o.r.problem(format, args...)
	}
}

// waiting returns the ids of what waits at a node: of a source, or of all.
func (o *office) waiting(ctx context.Context, n *node, source string) (ids []string, err error) {
	in := map[string]any{}
	if source != "" {
		in["from"] = source
	}
	var out struct{ Items []struct{ Drift string } }
	err = o.at(n, "").call(ctx, "drift_queue", in, &out)
	for _, it := range out.Items {
		ids = append(ids, it.Drift)
	}
	return ids, err
}

// letters returns the drift blocks of a context at a node.
func (o *office) letters(ctx context.Context, n *node, id string) (all []letter, heads []string, err error) {
	var out struct {
		Heads  []string `json:"heads"`
		Blocks []struct {
			row
			Author string `json:"author"`
		} `json:"block_list"`
	}
	if err := o.at(n, "").call(ctx, "context_get", map[string]any{"context": id}, &out); err != nil {
		return nil, nil, err
	}
	for _, b := range out.Blocks {
		if b.Kind == "drift" {
			all = append(all, letter{context: id, text: b.Content, author: b.Author, meta: parseMeta(b.Meta)})
		}
	}
	return all, out.Heads, nil
}

// each runs f for every parcel, several at a time.
func each(parcels []*parcel, f func(*parcel)) {
	const atOnce = 6
	var working sync.WaitGroup
	next := make(chan *parcel)
	for range min(atOnce, len(parcels)) {
		working.Go(func() {
			for p := range next {
				f(p)
			}
		})
	}
	for _, p := range parcels {
		next <- p
	}
	close(next)
	working.Wait()
}

// unacknowledged returns those that their senders have to repeat.
func unacknowledged(parcels []*parcel) (all []*parcel) {
	for _, p := range parcels {
		if p.given && !p.acked {
			all = append(all, p)
		}
	}
	return all
}

// over waits until nothing waits at a node and returns what does when it takes
// too long, and the dead letters.
func (o *office) over(ctx context.Context, n *node) (left []string, err error) {
	waiting, cancel := context.WithTimeout(ctx, goOnTimeout)
	defer cancel()
	_ = o.s.await(waiting, "the queue is empty", func() error {
		left, err = o.waiting(waiting, n, "")
		if err == nil && len(left) > 0 {
			return fmt.Errorf("%d drifts: %w", len(left), kaijutsu.ErrConflict)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var dead struct {
		Items []struct {
			Drift string
			Error string `json:"last_error"`
		}
	}
	if err := o.at(n, "").call(ctx, "drift_dead_letters", map[string]any{}, &dead); err != nil {
		return nil, err
	}
	for _, it := range dead.Items {
		left = append(left, fmt.Sprintf("%s, a dead letter: %s", it.Drift, it.Error))
	}
	return left, nil
}
