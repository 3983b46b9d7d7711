package mcpdoor

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// shelf is something small to serve: contexts of blocks of text.
type shelf struct {
	mu      sync.Mutex
	books   map[string]*book   // by id; guarded by mu
	watches map[*glance]string // to their book, "" for all; guarded by mu
	seats   map[Seat]bool      // guarded by mu
	came    chan Seat          // who took a seat
	went    chan Seat          // who left it
}

type book struct {
	id, title string
	order     []string
	blocks    map[string]string
}

func newShelf() *shelf {
	return &shelf{books: make(map[string]*book), watches: make(map[*glance]string), seats: make(map[Seat]bool), came: make(chan Seat, 1000), went: make(chan Seat, 1000)}
}

type createIn struct {
	Title string `json:"title" rule:"minlen=1,maxlen=100"`
}

type bookOut struct {
	ID string `json:"id"`
	By string `json:"by"`
}

type writeIn struct {
	Context string `json:"context,omitempty" jsonschema:"The context. Default: that of the call"`
	Block   string `json:"block_id" jsonschema:"The block" rule:"minlen=1,maxlen=36"`
	Text    string `json:"text" jsonschema:"What it says from now on"`
}

type blockOut struct {
	Context string `json:"context"`
	Block   string `json:"block_id"`
	Text    string `json:"text"`
	By      string `json:"by"`
}

// set returns the operations on a shelf.
func (s *shelf) set(gates op.Gates) *op.Set {
	create := op.Define(op.Spec{Name: "context_create", Title: "Make a context", Summary: "Make a context", Right: kaijutsu.RightEdit, Effect: op.Writes},
		func(_ context.Context, c op.Call, in createIn) (bookOut, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			id := fmt.Sprintf("c%04d", len(s.books)+1)
			s.books[id] = &book{id: id, title: in.Title, blocks: make(map[string]string)}
			s.tellLocked("")
			return bookOut{id, c.By.Name}, nil
		})
	write := op.Define(op.Spec{
		Name: "block_write", Summary: "Write a block", Description: "Makes it when it is not there.", Right: kaijutsu.RightEdit, Effect: op.Writes, Repeatable: true,
		Examples: []op.Example{{Text: "Say hello", In: `{"block_id":"b1","text":"hello"}`}},
	}, func(_ context.Context, c op.Call, in writeIn) (blockOut, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		b, err := s.bookLocked(cmp.Or(in.Context, c.Context))
		if err != nil {
			return blockOut{}, err
		}
		if _, ok := b.blocks[in.Block]; !ok {
			b.order = append(b.order, in.Block)
		}
		b.blocks[in.Block] = in.Text
		s.tellLocked(b.id, in.Block)
		return blockOut{b.id, in.Block, in.Text, c.By.Name}, nil
	})
	list := op.Define(op.Spec{Name: "context_list", Summary: "List contexts", Right: kaijutsu.RightRead}, func(context.Context, op.Call, struct{}) (struct {
		Contexts []string `json:"contexts"`
	}, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return struct {
			Contexts []string `json:"contexts"`
		}{append([]string{}, slices.Sorted(maps.Keys(s.books))...)}, nil
	})
	burn := op.Define(op.Spec{Name: "context_burn", Summary: "Burn every context", Scope: op.OnKernel, Right: kaijutsu.RightOwn, Effect: op.Destroys},
		func(context.Context, op.Call, struct{}) (struct{}, error) { panic("no fire") })
	return op.NewSet(gates, create, write, list, burn)
}

func (s *shelf) bookLocked(name string) (*book, error) {
	for _, b := range s.books {
		if b.id == name || b.title == name {
			return b, nil
		}
	}
	return nil, fmt.Errorf("context %q: %w", name, kaijutsu.ErrNotFound)
}

func (s *shelf) Contexts(context.Context, op.Call) ([]Context, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Context
	for _, b := range s.books {
		all = append(all, Context{b.id, b.title, len(b.order)})
	}
	return all, nil
}

func (s *shelf) ReadContext(_ context.Context, c op.Call, name string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := s.bookLocked(name)
	if err != nil {
		return "", err
	}
	text := "# " + b.title + "\n"
	for _, id := range b.order {
		text += "\n" + b.blocks[id] + "\n"
	}
	return text, nil
}

func (s *shelf) Blocks(_ context.Context, _ op.Call, name string) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := s.bookLocked(name)
	if err != nil {
		return nil, err
	}
	return slices.Clone(b.order), nil
}

func (s *shelf) ReadBlock(_ context.Context, _ op.Call, name, block string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := s.bookLocked(name)
	if err != nil {
		return "", err
	}
	text, ok := b.blocks[block]
	if !ok {
		return "", fmt.Errorf("block %q: %w", block, kaijutsu.ErrNotFound)
	}
	return text, nil
}

// glance is a watch on a shelf.
type glance struct {
	shelf   *shelf
	wake    chan struct{}
	touched map[string]bool // guarded by shelf.mu
}

func (s *shelf) Watch(_ context.Context, _ op.Call, name string) (Watch, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := s.bookLocked(name)
	if err != nil {
		return nil, err
	}
	return s.watchLocked(b.id), nil
}

func (s *shelf) WatchContexts(context.Context, op.Call) (Watch, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.watchLocked(""), nil
}

func (s *shelf) watchLocked(id string) *glance {
	g := &glance{s, make(chan struct{}, 1), make(map[string]bool)}
	s.watches[g] = id
	return g
}

func (s *shelf) tellLocked(id string, blocks ...string) {
	for g, want := range s.watches {
		if want != id {
			continue
		}
		for _, b := range blocks {
			g.touched[b] = true
		}
		select {
		case g.wake <- struct{}{}:
		default:
		}
	}
}

func (g *glance) Next(ctx context.Context) ([]string, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-g.wake:
	}
	g.shelf.mu.Lock()
	defer g.shelf.mu.Unlock()
	if _, ok := g.shelf.watches[g]; !ok {
		return nil, fmt.Errorf("the context was deleted: %w", kaijutsu.ErrNotFound)
	}
	ids := slices.Sorted(maps.Keys(g.touched))
	clear(g.touched)
	return ids, nil
}

func (g *glance) Close() {
	g.shelf.mu.Lock()
	delete(g.shelf.watches, g)
	g.shelf.mu.Unlock()
}

// remove deletes a book, and ends who watches it.
func (s *shelf) remove(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.books, id)
	s.tellLocked(id)
	for g, want := range s.watches {
		if want == id {
			delete(s.watches, g)
		}
	}
}

func (s *shelf) watching() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.watches)
}

func (s *shelf) join(seat Seat) (leave func()) {
	s.mu.Lock()
	s.seats[seat] = true
	s.mu.Unlock()
	s.came <- seat
	var once sync.Once
	return func() {
		once.Do(func() {
			s.mu.Lock()
			delete(s.seats, seat)
			s.mu.Unlock()
			s.went <- seat
		})
	}
}

// identify reads who asks from a bearer token, which is their name.
func identify(r *http.Request) (op.Call, error) {
	name, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return op.Call{}, noToken{}
	}
	call := op.Call{By: kaijutsu.Principal{Name: name, Kind: kaijutsu.Agent}, Right: kaijutsu.RightEdit}
	switch name {
	case "owner":
		call.Right = kaijutsu.RightOwn
	case "reader":
		call.Deny = []string{"block_*", "context_create"}
	}
	return call, nil
}

type noToken struct{}

func (noToken) Error() string     { return "no token: denied" }
func (noToken) Unwrap() error     { return kaijutsu.ErrDenied }
func (noToken) Challenge() string { return "Bearer" }

// place is a door over a shelf, behind HTTP.
type place struct {
	*shelf
	door   *Door
	server *httptest.Server
	url    string
}

// open serves a shelf. change may set up the door; nil for as it is.
func open(t testing.TB, change func(*Config)) *place {
	t.Helper()
	s := newShelf()
	cfg := Config{Set: s.set(op.Gates{}), Identify: identify, Resources: s, Watcher: s, Join: s.join, Version: "1.2.3", Instructions: "Write blocks."}
	if change != nil {
		change(&cfg)
	}
	p := &place{shelf: s, door: New(cfg)}
	p.server = httptest.NewServer(p.door)
	p.url = p.server.URL + "/mcp"
	t.Cleanup(func() {
		p.door.Close()
		p.server.Close()
	})
	return p
}

// patience is how long a test waits for what has to happen.
const patience = 30 * time.Second

// wait returns what comes out of a channel.
func wait[T any](t testing.TB, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("%s did not happen in %v", what, patience)
		panic("unreachable")
	}
}
