package bench

import (
	"context"
	"sort"

	"kaijutsu/internal/kjproc"
)

// yjsBatch is how many bytes of items and deletions go into one message of a
// document that is made.
const yjsBatch = 256 << 10

// seed implements speech: each step that puts something in is an item of its
// own, as from a client that came back with what it did meanwhile. It returns
// when the server has answered a question that was asked behind all of it.
func (y *yjs) seed(ctx context.Context, p *kjproc.Process, doc docName, h history) error {
	c, err := y.connect(ctx, p, doc, nil)
	if err != nil {
		return err
	}
	c.id = yjsSeeder
	if err := c.plant(ctx, h); err != nil {
		_ = c.close()
		return err
	}
	return c.close()
}

// plant uploads a history into an empty document.
func (c *yjsClient) plant(ctx context.Context, h history) error {
	if err := c.open(ctx); err != nil {
		return err
	}
	g := yjsGarden{update: yjsUpdate{client: yjsSeeder}}
	g.grow(0)
	for s := range h.all() {
		g.step(s)
		if len(g.update.structs)+8*len(g.update.deleted) >= yjsBatch {
			if err := c.sendUpdate(ctx, g.batch()); err != nil {
				return err
			}
		}
	}
	if err := c.sendUpdate(ctx, g.batch()); err != nil {
		return err
	}
	if err := c.ask(ctx); err != nil {
		return err
	}
	if err := c.ready(ctx); err != nil {
		return err
	}
	c.y.mu.Lock()
	defer c.y.mu.Unlock()
	c.y.made[c.framing.doc] = yjsMade{units: g.update.clock, head: g.head}
	return nil
}

func (c *yjsClient) sendUpdate(ctx context.Context, u yjsUpdate) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sendUpdateLocked(ctx, &u)
}

// ask asks the server for what it has beyond this client, and returns when it
// has answered: it has worked on all that was sent before.
func (c *yjsClient) ask(ctx context.Context) error {
	c.mu.Lock()
	steps2 := c.steps2
	err := c.send(ctx, c.framing.request(map[uint64]uint64{c.id: c.clock}))
	c.mu.Unlock()
	if err != nil {
		return err
	}
	return c.wait(ctx, "the server's answer", func() bool { return c.steps2 > steps2 })
}

// yjsGarden makes a history into updates of yjsSeeder.
type yjsGarden struct {
	update yjsUpdate
	chars  int    // put in
	texts  []int  // the number of characters when each text was made
	head   *yjsID // the first character of the first text
}

// text is the id of a text: texts and characters are units of one client.
func (g *yjsGarden) text(i int) yjsID { return yjsID{yjsSeeder, uint64(g.texts[i] + i)} }

// char is the id of a character; nil for -1.
func (g *yjsGarden) char(n int) *yjsID {
	if n < 0 {
		return nil
	}
	before := sort.SearchInts(g.texts, n+1) // texts that were made before it
	return &yjsID{yjsSeeder, uint64(n + before)}
}

// grow makes texts until there is one of that number.
func (g *yjsGarden) grow(text int) {
	for len(g.texts) <= text {
		var after *yjsID
		if n := len(g.texts); n > 0 {
			last := g.text(n - 1)
			after = &last
		}
		g.update.text(after)
		g.texts = append(g.texts, g.chars)
	}
}

func (g *yjsGarden) step(s step) {
	g.grow(s.text)
	if s.insert == "" {
		g.update.remove(g.char(s.remove).clock)
		return
	}
	g.update.insert(g.text(s.text), g.char(s.after), g.char(s.before), s.insert)
	if s.text == 0 && s.after < 0 {
		g.head = g.char(g.chars)
	}
	g.chars += int(utf16Len(s.insert))
}

// batch takes what has been made since the last batch.
func (g *yjsGarden) batch() yjsUpdate {
	u := g.update
	g.update = yjsUpdate{client: yjsSeeder, clock: u.clock + u.made}
	return u
}
