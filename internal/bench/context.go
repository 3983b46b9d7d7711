package bench

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
)

// newDocumentID returns an id for a new context.
func newDocumentID() kaijutsu.DocumentID { return kaijutsu.NewContextID(time.Now()).Document() }

// blockChars is the length of the text of a block in the measured contexts.
const blockChars = 100

const words = "the of and a document change writer server hello disk time people edit agent page list kind fast " +
	"order every another nothing between before after machine light water morning question because number through"

// prose returns some text that differs from block to block, the same in every
// run.
func prose(block int) string {
	random := rand.New(rand.NewPCG(7, uint64(block)))
	vocabulary := strings.Fields(words)
	var b strings.Builder
	for b.Len() < blockChars {
		b.WriteString(vocabulary[random.IntN(len(vocabulary))])
		b.WriteByte(' ')
	}
	return b.String()[:blockChars]
}

// newBlock returns the change that makes one block of a context: its fields
// and its text, a character an operation. The text object is returned too.
func newBlock(genesis *amfile.Change, deps []kaijutsu.ChangeHash, author kaijutsu.ActorID, seq, startOp uint64, index int, text string) (*amfile.Change, amfile.GlobalID, error) {
	id := blocks.NewID(time.Now())
	page, err := pageObject(genesis, id.Page())
	if err != nil {
		return nil, amfile.GlobalID{}, err
	}
	c := &amfile.Change{
		Deps: deps, Actors: []kaijutsu.ActorID{author, genesis.Author()},
		Seq: seq, StartOp: startOp, Time: time.Now().Unix(),
	}
	add := func(op amfile.Op) amfile.OpID {
		c.Ops = append(c.Ops, op)
		return amfile.OpID{Counter: startOp + uint64(len(c.Ops)) - 1}
	}
	block := add(amfile.Op{Action: amfile.MakeMap, Obj: amfile.OpID{Counter: page.Counter, Actor: 1}, Key: string(id)})
	for _, field := range [][2]string{{"kind", "text"}, {"role", "user"}, {"order", fmt.Sprintf("V%05d", index)}, {"status", "done"}} {
		add(amfile.Op{Action: amfile.Put, Obj: block, Key: field[0], Value: amfile.StringValue(field[1])})
	}
	object := add(amfile.Op{Action: amfile.MakeText, Obj: block, Key: "text"})
	last := amfile.OpID{}
	for _, char := range text {
		last = add(amfile.Op{Action: amfile.Put, Obj: object, Seq: true, Elem: last, Insert: true, Value: amfile.StringValue(string(char))})
	}
	if err := amfile.EncodeChange(c); err != nil {
		return nil, amfile.GlobalID{}, fmt.Errorf("make a block: %w", err)
	}
	return c, amfile.GlobalID{Counter: object.Counter, Actor: author}, nil
}

// pageObject finds a page of the context in the genesis change.
func pageObject(genesis *amfile.Change, key string) (amfile.GlobalID, error) {
	for i, op := range genesis.Ops {
		if op.Action == amfile.MakeMap && op.Key == key && op.Obj.Counter != 0 {
			return genesis.ID(i), nil
		}
	}
	return amfile.GlobalID{}, fmt.Errorf("page %s of the genesis change: %w", key, kaijutsu.ErrNotFound)
}

// textContext returns the two changes of a context with one empty text block,
// and the text object.
func textContext() ([]*amfile.Change, amfile.GlobalID, error) {
	genesis := blocks.Genesis()
	block, text, err := newBlock(genesis, []kaijutsu.ChangeHash{genesis.Hash}, "bench-first-block", 1, genesis.MaxOp()+1, 0, "")
	return []*amfile.Change{genesis, block}, text, err
}

// typeString makes the operations of a change that types a string behind what
// this writer typed last.
func (r *replica) typeString(text amfile.GlobalID, s string) func(c *amfile.Change) {
	return func(c *amfile.Change) {
		c.Actors = append(c.Actors, text.Actor)
		for _, char := range s {
			c.Ops = append(c.Ops, amfile.Op{
				Action: amfile.Put, Obj: amfile.OpID{Counter: text.Counter, Actor: 1},
				Seq: true, Elem: amfile.OpID{Counter: r.lastChar}, Insert: true, Value: amfile.StringValue(string(char)),
			})
			r.lastChar = c.StartOp + uint64(len(c.Ops)) - 1
		}
	}
}

const letters = "etaoin shrdlu "

// typeChar makes the operation of a change that types one character into the
// text behind what this writer typed last, as a person writes a sentence.
func (r *replica) typeChar(text amfile.GlobalID) func(c *amfile.Change) {
	return func(c *amfile.Change) {
		c.Actors = append(c.Actors, text.Actor)
		i := int(c.Seq) % len(letters)
		c.Ops = []amfile.Op{{
			Action: amfile.Put, Obj: amfile.OpID{Counter: text.Counter, Actor: 1},
			Seq: true, Elem: amfile.OpID{Counter: r.lastChar}, Insert: true,
			Value: amfile.StringValue(letters[i : i+1]),
		}}
		r.lastChar = c.StartOp
	}
}
