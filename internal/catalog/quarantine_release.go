package catalog

import (
	"context"
	"errors"

	"kaijutsu"
	"kaijutsu/internal/op"
	"kaijutsu/internal/quarantine"
)

type quarantineReleaseIn struct {
	Document string `json:"document" jsonschema:"A context id, or a document id as editors have it." rule:"minlen=1,maxlen=64"`
	Change   string `json:"change,omitempty" jsonschema:"The hash of the change, as quarantine_list shows it. Default: everything of the document." rule:"maxlen=64"`
}

type quarantineReleaseOut struct {
	Released []quarantineRow `json:"released" jsonschema:"What was in quarantine and is no more."`
}

func (o *operations) quarantineRelease() *op.Op {
	return define(o, op.Spec{
		Name: "quarantine_release", Title: "Release from quarantine", Command: []string{"quarantine", "release"}, Args: []string{"document", "change"},
		Summary: "Have a change, or a read-only document, tried again",
		Description: "The document is opened anew, and editors that hold the change are asked for it. When it goes wrong again, it is in quarantine again. " +
			"Nothing is changed when nothing of the document is in quarantine.",
		Scope: op.OnKernel, Right: kaijutsu.RightOwn, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("quarantine_release"),
	}, o.releaseQuarantine)
}

func (o *operations) releaseQuarantine(ctx context.Context, _ op.Call, in quarantineReleaseIn) (quarantineReleaseOut, error) {
	out := quarantineReleaseOut{Released: []quarantineRow{}}
	doc, err := documentIn(in.Document)
	if err != nil {
		return out, err
	}
	var change kaijutsu.ChangeHash
	if in.Change != "" {
		if change, err = kaijutsu.ParseChangeHash(in.Change); err != nil {
			return out, kaijutsu.About("change", err)
		}
	}
	for _, e := range o.parts.Quarantine.Entries() {
		if e.Document != doc || e.Kind == quarantine.Refused || in.Change != "" && e.Change != change {
			continue
		}
		err := o.parts.Release(ctx, doc, e.Change)
		if errors.Is(err, kaijutsu.ErrNotFound) { // somebody else was quicker
			continue
		}
		if err != nil {
			return out, err
		}
		out.Released = append(out.Released, quarantineRowOf(e))
	}
	return out, nil
}
