package catalog

import (
	"context"
	"fmt"
	"time"

	"kaijutsu"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

type contextAtIn struct {
	inContext
	Heads   []string `json:"heads,omitempty" jsonschema:"As of these heads: change hashes, as results return them." rule:"minitems=1,maxitems=1000"`
	Version uint64   `json:"version,omitempty" jsonschema:"As of this version: its first so many changes." rule:"min=1"`
	Time    string   `json:"time,omitempty" jsonschema:"As of this time, such as 2026-11-21T10:00:00Z: the changes that their authors' clocks put no later." rule:"minlen=1,maxlen=64"`
}

type contextAtOut struct {
	ID        string     `json:"id"`
	Title     string     `json:"title"`
	Heads     []string   `json:"heads" jsonschema:"The heads that were meant."`
	Version   uint64     `json:"version" jsonschema:"How many changes that is."`
	Blocks    int        `json:"blocks" jsonschema:"How many blocks showed."`
	BlockList []blockRow `json:"block_list" jsonschema:"The blocks in document order."`
}

func (o *operations) contextAt() *op.Op {
	return define(o, op.Spec{
		Name: "context_at", Title: "Read a context as it was", Command: []string{"ctx", "at"}, Args: []string{"context"},
		Summary: "Read a context as it was at a version, at a time or at heads",
		Description: "Give one of `heads`, `version` and `time`. Every result that has `heads` or `version` names a state that can be read again here, for ever. " +
			"Versions are the server's own count; heads mean the same on every replica.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("context_at"),
	}, o.contextAtMoment)
}

func (o *operations) contextAtMoment(ctx context.Context, c op.Call, in contextAtIn) (out contextAtOut, err error) {
	find, err := in.finder()
	if err != nil {
		return out, err
	}
	err = o.readContext(ctx, c, in.inContext, func(v repo.View, doc kaijutsu.DocumentID) error {
		s, err := find(v)
		if err != nil {
			return err
		}
		list := s.model.Blocks()
		out = contextAtOut{
			ID: doc.Name(), Title: s.model.Title(), Heads: s.heads.Texts(), Version: s.version,
			Blocks: len(list), BlockList: make([]blockRow, len(list)),
		}
		for i, b := range list {
			out.BlockList[i] = blockRowOf(v, b)
		}
		return nil
	})
	return out, err
}

// finder returns what finds the one state that is asked for.
func (in contextAtIn) finder() (func(repo.View) (state, error), error) {
	given := 0
	for _, ok := range [...]bool{len(in.Heads) > 0, in.Version > 0, in.Time != ""} {
		if ok {
			given++
		}
	}
	if given != 1 {
		return nil, &op.FieldError{Field: "version", Reason: fmt.Sprintf("%d moments are given", given), Hint: "give one of heads, version and time"}
	}
	switch {
	case len(in.Heads) > 0:
		return func(v repo.View) (state, error) { return stateAtHeads(v, "heads", in.Heads) }, nil
	case in.Version > 0:
		return func(v repo.View) (state, error) { return stateAtVersion(v, "version", in.Version) }, nil
	}
	t, err := time.Parse(time.RFC3339, in.Time)
	if err != nil {
		return nil, &op.FieldError{Field: "time", Reason: fmt.Sprintf("%q is no time", in.Time), Hint: "want one such as 2026-11-21T10:00:00Z"}
	}
	return func(v repo.View) (state, error) { return stateAtTime(v, "time", t) }, nil
}
