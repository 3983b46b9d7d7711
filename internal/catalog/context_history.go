package catalog

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

type contextHistoryIn struct {
	inContext
	Since  string `json:"since,omitempty" jsonschema:"Only what is newer: a version such as 12, a time such as 2026-11-21T10:00:00Z, or heads: change hashes joined by commas. Default: from the beginning." rule:"maxlen=65000"`
	Until  string `json:"until,omitempty" jsonschema:"Only what was there then, likewise. Default: up to now." rule:"maxlen=65000"`
	Author string `json:"author,omitempty" jsonschema:"Only points of this author." rule:"maxlen=256"`
	Gap    *int   `json:"gap,omitempty" jsonschema:"How many seconds without a change end a point; one lasts ten times that at most. 0: a point for each change. Default: 60." rule:"min=0,max=31536000"`
	Mixed  bool   `json:"mixed,omitempty" jsonschema:"Fold what several authors did in one stretch of time to one point. Default: a change by another author begins a new one."`
	Limit  int    `json:"limit,omitempty" jsonschema:"How many points to return at most." rule:"min=1,max=1000,default=200"`
	Cursor string `json:"cursor,omitempty" jsonschema:"The next of the call before: go on with what is older." rule:"maxlen=20"`
}

type historyPoint struct {
	Version uint64   `json:"version" jsonschema:"The version that the context had with the last of its changes; context_at takes it."`
	Heads   []string `json:"heads,omitempty" jsonschema:"The heads then. Absent when they are more than 32: use the version."`
	First   string   `json:"first" jsonschema:"What its author's clock showed at the first of its changes."`
	Last    string   `json:"last" jsonschema:"Likewise at the last."`
	Author  string   `json:"author" jsonschema:"The name of the principal, or the actor id when nobody is on record; of several the one with most changes."`
	Via     string   `json:"via,omitempty"`
	Others  []string `json:"others,omitempty" jsonschema:"The other authors, up to 10."`
	Changes int      `json:"changes" jsonschema:"How many changes it stands for."`
	How     []string `json:"how" jsonschema:"What they did: inserted, content, status, moved, deleted, restored, meta, flags, title."`
	Blocks  []string `json:"blocks" jsonschema:"The blocks that they touched, those touched first, up to 20."`
	Touched int      `json:"touched" jsonschema:"How many blocks they touched."`
	Merge   bool     `json:"merge,omitempty" jsonschema:"Lines of work that did not know of each other came together here."`
	Fork    bool     `json:"fork,omitempty" jsonschema:"Later changes part here: several rest on the same one."`
	Message string   `json:"message,omitempty" jsonschema:"The message of the last of its changes that has one."`
}

type historyAuthor struct {
	Author  string `json:"author"`
	Via     string `json:"via,omitempty"`
	Changes int    `json:"changes"`
	First   string `json:"first" jsonschema:"When the first of their changes was made."`
	Last    string `json:"last"`
}

type contextHistoryOut struct {
	Context string          `json:"context"`
	Version uint64          `json:"version" jsonschema:"How many changes the context holds now."`
	Heads   []string        `json:"heads" jsonschema:"Its heads now."`
	Changes int             `json:"changes" jsonschema:"How many changes there are from since to until."`
	Count   int             `json:"count" jsonschema:"How many points they are folded to, those of other authors and on other pages included."`
	Authors []historyAuthor `json:"authors" jsonschema:"Who made them, those with most changes first, up to 200."`
	Points  []historyPoint  `json:"points" jsonschema:"Oldest first: the newest of all, or those right in front of the cursor."`
	Next    string          `json:"next,omitempty" jsonschema:"There are older ones: pass it as cursor. Absent: that was all."`
}

func (o *operations) contextHistory() *op.Op {
	return define(o, op.Spec{
		Name: "context_history", Title: "Show a context's history", Command: []string{"ctx", "history"}, Args: []string{"context"},
		Summary: "List what happened in a context: who changed what, when, as points in time that can be read and compared",
		Description: "Changes that one author made in one stretch of time are folded to a point. The `heads` or `version` of a point can be passed to context_at, " +
			"context_diff and, as `at`, to block_read. The order is that in which this server took the changes, and what a point touched is read from its changes, " +
			"also where others wrote something else at the same time.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("context_history"),
	}, o.historyOfContext)
}

const (
	historyGap       = 60 // seconds
	historyRun       = 10 // gaps
	historyHeads     = 32
	historyBlocks    = 20
	historyOthers    = 10
	historyAuthors   = 200
	historyMaxCursor = 1 << 31
)

func (o *operations) historyOfContext(ctx context.Context, c op.Call, in contextHistoryIn) (out contextHistoryOut, err error) {
	doc, err := o.parts.Kernel.Resolve(ctx, c, in.Context, kaijutsu.RightRead)
	if err != nil {
		return out, err
	}
	before, err := in.before()
	if err != nil {
		return out, err
	}
	view := func(f func(repo.View) error) error { return o.parts.Kernel.View(ctx, c, doc, f) }
	h, err := o.histories.Of(ctx, doc, view)
	if err != nil {
		return out, err
	}
	f := folding{h: h, gap: historyGap, mixed: in.Mixed}
	if in.Gap != nil {
		f.gap = int64(*in.Gap)
	}
	err = view(func(v repo.View) error {
		if f.in, err = in.wanted(v, h); err != nil {
			return err
		}
		f.names = namesOf(v, h.Actors)
		out.Context, out.Version, out.Heads = doc.Name(), v.Version(), v.Heads.Texts()
		return nil
	})
	if err != nil {
		return out, err
	}
	f.fold()
	out.Changes, out.Count, out.Authors = f.changes, len(f.runs), f.authors()
	page, next := f.page(in.Author, before, in.Limit)
	out.Next = next
	out.Points = f.points(page)
	heads := f.heads(page)
	return out, view(func(v repo.View) error { return f.tell(v, page, heads, out.Points) })
}

// before returns the version that the points of the page lie in front of.
func (in contextHistoryIn) before() (int, error) {
	if in.Cursor == "" {
		return historyMaxCursor, nil
	}
	n, err := strconv.ParseUint(in.Cursor, 10, 31)
	if err != nil {
		return 0, &op.FieldError{Field: "cursor", Reason: fmt.Sprintf("%q is none", in.Cursor), Hint: "pass the next of the call before"}
	}
	return int(n), nil
}

// wanted returns which changes lie between since and until.
func (in contextHistoryIn) wanted(v repo.View, h repo.History) ([]bool, error) {
	want := make([]bool, len(h.Changes))
	for i := range want {
		want[i] = i > 0 || h.Actors[h.Changes[i].Actor] != blocks.Genesis().Author() // which nobody made
	}
	if err := bound(v, h, "since", in.Since, func(i int, behind bool) { want[i] = want[i] && !behind }); err != nil {
		return nil, err
	}
	return want, bound(v, h, "until", in.Until, func(i int, behind bool) { want[i] = want[i] && behind })
}

// bound tells of each change whether it belongs to a moment. An empty one is
// none.
func bound(v repo.View, h repo.History, field, at string, tell func(i int, behind bool)) error {
	at = strings.TrimSpace(at)
	if at == "" {
		return nil
	}
	if n, err := strconv.ParseUint(at, 10, 64); err == nil && len(at) < 20 {
		for i := range h.Changes {
			tell(i, uint64(i) < n)
		}
		return nil
	}
	if t, err := time.Parse(time.RFC3339, at); err == nil {
		for i, c := range h.Changes {
			tell(i, c.Time <= t.Unix())
		}
		return nil
	}
	heads, err := parseHeads(field, strings.Split(at, ","))
	if err != nil {
		return err
	}
	later, err := v.Changes(heads)
	if err != nil {
		return fmt.Errorf("%s: %w", field, err)
	}
	next := 0
	for i := range h.Changes {
		outside := next < len(later) && later[next] == i
		if outside {
			next++
		}
		tell(i, !outside)
	}
	return nil
}
