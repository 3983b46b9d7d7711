package follow

import (
	"fmt"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/flowbus"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/textdiff"
)

// event is an event of a document, encoded.
type event struct {
	place   // seq is 0 when it is of a replay of one context
	doc     kaijutsu.DocumentID
	subject string
	kind    flowbus.Kind
	json    []byte
}

// names finds who an actor of a document is.
type names func(kaijutsu.ActorID) (by, via kaijutsu.Principal)

// eventsOf derives the events of a traced change: at least one.
func (h *Hub) eventsOf(id kaijutsu.ContextID, seq, version uint64, c repo.Change, who names) ([]event, error) {
	e := flowbus.Event{
		Kernel: h.cfg.Kernel, Context: id, Version: version, Heads: c.Heads, Change: c.Hash,
		Principal: c.By, Via: c.Via, Time: timeOf(c.Time), Node: h.cfg.Node,
	}
	type told struct {
		kind  flowbus.Kind
		block blocks.ID
		data  flowbus.Payload
	}
	var all []told
	origin := c.Steps != nil && c.Steps[0].Kind == blocks.StepContext && c.Steps[0].Context == id
	for i := range c.Steps {
		s := &c.Steps[i]
		switch {
		case s.Kind == blocks.StepContext && origin:
			all = append(all, told{kind: flowbus.ContextCreated, data: &flowbus.Titled{Title: titleIn(c.Steps)}})
			if version > 2 { // genesis comes first: it rests on another context
				all[0] = told{kind: flowbus.ContextForked, data: &flowbus.Forked{Title: titleIn(c.Steps), From: kaijutsu.Heads(c.Deps).Texts()}}
			}
		case s.Kind == blocks.StepContext:
		case s.Kind == blocks.StepTitle && origin:
		case s.Kind == blocks.StepTitle:
			all = append(all, told{kind: flowbus.ContextRenamed, data: &flowbus.Titled{Title: s.Title}})
		default:
			kind, data := stepOf(s, c, who)
			if data == nil {
				return nil, fmt.Errorf("a step of kind %d is not known: %w", s.Kind, kaijutsu.ErrInvalid)
			}
			all = append(all, told{kind, s.ID, data})
		}
	}
	if len(all) == 0 {
		all = append(all, told{kind: flowbus.ContextAdvanced, data: &flowbus.Nothing{}})
	}
	out := make([]event, len(all))
	for i, t := range all {
		e.Kind, e.Block, e.Data, e.Part, e.Parts = t.kind, string(t.block), t.data, i+1, len(all)
		b, err := flowbus.Encode(&e)
		if err != nil {
			return nil, err
		}
		out[i] = event{place: place{seq, version, i + 1}, doc: id.Document(), subject: e.Subject(), kind: e.Kind, json: b}
	}
	return out, nil
}

// titleIn returns the title that steps give.
func titleIn(steps []blocks.Step) string {
	for i := range steps {
		if steps[i].Kind == blocks.StepTitle {
			return steps[i].Title
		}
	}
	return ""
}

// stepOf is what a step on the list of blocks is as an event; nil when it is
// none.
func stepOf(s *blocks.Step, c repo.Change, who names) (flowbus.Kind, flowbus.Payload) {
	switch s.Kind {
	case blocks.StepInserted:
		b := *s.Block
		by, via := c.By, c.Via
		if b.Author != c.Author() {
			by, via = who(b.Author)
		}
		return flowbus.BlockInserted, &flowbus.Inserted{After: string(s.After), Restored: s.Restored, Row: rowOf(repo.Block{Block: b, By: by, Via: via})}
	case blocks.StepMoved:
		return flowbus.BlockMoved, &flowbus.Moved{After: string(s.After), Parent: string(s.Parent), Depth: s.Depth}
	case blocks.StepDeleted:
		return flowbus.BlockDeleted, &flowbus.Nothing{}
	case blocks.StepText:
		return flowbus.BlockText, &flowbus.Text{Splices: splicesOf(s.Splices), Length: s.Length}
	case blocks.StepStatus:
		return flowbus.BlockStatus, &flowbus.Status{Status: string(s.Status)}
	case blocks.StepMeta:
		return flowbus.BlockMeta, &flowbus.Meta{Kind: string(s.BlockKind), Role: string(s.Role), Form: string(s.Form), Meta: s.Meta}
	case blocks.StepFlags:
		return flowbus.BlockFlags, &flowbus.Flags{Collapsed: s.Collapsed, Excluded: s.Excluded, Ephemeral: s.Ephemeral}
	}
	return "", nil
}

func splicesOf(list []textdiff.Splice) []flowbus.Splice {
	out := make([]flowbus.Splice, len(list))
	for i, s := range list {
		out[i] = flowbus.Splice{Pos: s.Pos, Del: s.Del, Ins: s.Ins}
	}
	return out
}

// rowOf is a block as followers see it: the actor stands for an author of whom
// nobody is on record.
func rowOf(b repo.Block) flowbus.Row {
	author := b.By.Name
	if b.By.IsZero() {
		author = b.Author.String()
	}
	return flowbus.Row{
		ID: string(b.ID), Kind: string(b.Kind), Role: string(b.Role), Status: string(b.Status), Parent: string(b.Parent),
		Depth: b.Depth, Form: string(b.Form), Content: b.Content, Meta: b.Meta, Author: author, Via: b.Via.Name,
		Created: b.Created.UTC().Format(time.RFC3339), Deleted: b.Deleted, Collapsed: b.Collapsed, Excluded: b.Excluded, Ephemeral: b.Ephemeral,
	}
}

// The years that a time in an event may have: clients may write any number.
var (
	firstTime = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	lastTime  = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC).Unix()
)

func timeOf(seconds int64) time.Time {
	return time.Unix(min(max(seconds, firstTime), lastTime), 0).UTC()
}

// names returns who the actors of a document are, asking its owner at most once
// for each.
func (h *Hub) names(doc kaijutsu.DocumentID) names {
	type signer struct{ by, via kaijutsu.Principal }
	known := make(map[kaijutsu.ActorID]signer)
	return func(actor kaijutsu.ActorID) (by, via kaijutsu.Principal) {
		s, ok := known[actor]
		if !ok {
			err := h.cfg.Repo.View(h.ctx, doc, func(v repo.View) error {
				s.by, s.via = v.Principal(actor)
				return nil
			})
			if err == nil { // a document that is gone has no authors
				known[actor] = s
			}
		}
		return s.by, s.via
	}
}
