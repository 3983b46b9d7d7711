package torture

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// The doors through which writers come, as histories have them.
const (
	doorSync = "sync"
	doorHTTP = "http"
	doorMCP  = "mcp"
)

// hire makes a principal with a token, and waits until all nodes know it. It
// records who joins in.
func (m *mixed) hire(ctx context.Context, name, kind, role string, n *node, door string) (key string, err error) {
	allowed := role
	if role == "hostile" {
		allowed = "editor"
	}
	key, _, err = m.token(ctx, name, kind, allowed)
	if err != nil {
		return "", err
	}
	m.h.note(Entry{Says: saysWho, Who: name, Name: name, Role: role, Node: n.name, What: door})
	return key, nil
}

// token makes a token at a node that runs, and waits until all nodes that run
// know it.
func (m *mixed) token(ctx context.Context, name, kind, role string) (key, id string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	var made struct{ Token, ID string }
	err = m.await(ctx, "a token for "+name+" is made", func() error {
		return m.nodes[0].api().call(ctx, "token_create", map[string]any{"name": name, "kind": kind, "role": role}, &made)
	})
	if err != nil {
		return "", "", err
	}
	err = m.await(ctx, "every node knows "+name, func() error {
		for _, n := range m.nodes {
			if n.process() == nil {
				continue
			}
			if err := newAPI(n.url()).as(made.Token).call(ctx, "whoami", map[string]any{}, nil); err != nil {
				return err
			}
		}
		return nil
	})
	return made.Token, made.ID, err
}

// write starts everybody who writes: for each context at each node two editors,
// an agent over HTTP and one over MCP, at each node who sends changes in any
// order, and one commenter who writes where it may not.
func (m *mixed) write(ctx context.Context) error {
	if m.opt.rival != nil {
		m.writeRival(ctx)
		return nil
	}
	var err error
	if m.keys["mallory"], err = m.hire(ctx, "mallory", "person", "hostile", m.nodes[0], doorSync); err != nil {
		return err
	}
	m.stops = make(chan struct{})
	m.stopWriting = sync.OnceFunc(func() { close(m.stops); m.writing.Wait() })
	editors := 1
	if len(m.nodes) == 1 {
		editors = 3
	}
	for _, n := range m.nodes {
		for i, t := range m.targets {
			for k := range editors {
				if err := m.hireTypist(ctx, fmt.Sprintf("editor %s%d%c", n.name, i+1, 'a'+k), "editor", n, t); err != nil {
					return err
				}
			}
			if err := m.hireCaller(ctx, fmt.Sprintf("caller %s%d", n.name, i+1), doorHTTP, n, t); err != nil {
				return err
			}
			if err := m.hireCaller(ctx, fmt.Sprintf("agent %s%d", n.name, i+1), doorMCP, n, t); err != nil {
				return err
			}
		}
	}
	for i, n := range m.nodes {
		name := "shuffler " + n.name
		key, err := m.hire(ctx, name, "person", "editor", n, doorSync)
		if err != nil {
			return err
		}
		w := &shuffler{name: name, token: key, node: n, target: m.docs[len(m.targets)+i], ledger: m.ledger, h: m.h, random: m.branch()}
		m.writing.Go(func() { w.run(ctx, m.stops) })
	}
	return m.hireTypist(ctx, "commenter", "commenter", m.nodes[0], m.targets[0])
}

// hireTypist lets somebody type into a context. What one writes who may not is
// not in the ledger.
func (m *mixed) hireTypist(ctx context.Context, name, role string, n *node, t *target) error {
	key, err := m.hire(ctx, name, "person", role, n, doorSync)
	if err != nil {
		return err
	}
	w := &typist{name: name, token: key, node: n, target: t, ledger: m.ledger, h: m.h, random: m.branch(), pause: mixedPause, patience: honestWait}
	if role != "editor" {
		w.ledger, w.pause, w.patience, w.vain = newLedger(), 500*time.Millisecond, ackPatience, true
	}
	m.writing.Go(func() { w.run(ctx, m.stops) })
	return nil
}

// hireCaller lets an agent call operations on a context.
func (m *mixed) hireCaller(ctx context.Context, name, door string, n *node, t *target) error {
	key, err := m.hire(ctx, name, "agent", "editor", n, door)
	if err != nil {
		return err
	}
	c := &caller{name: name, node: n, target: t, ledger: m.ledger, h: m.h, random: m.branch(), refused: make(map[string]int)}
	c.dial = func(n *node) operations { return newAPI(n.url()).as(key) }
	if door == doorMCP {
		c.dial = func(n *node) operations { return &mcpDoor{api: newAPI(n.url()).as(key)} }
	}
	m.callers = append(m.callers, c)
	m.writing.Go(func() { c.run(ctx, m.stops) })
	return nil
}
