package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"kaijutsu"
	"kaijutsu/internal/follow"
	"kaijutsu/internal/op"
)

// maxEventBytes bounds the events of one answer; the last one may pass it.
const maxEventBytes = 1 << 20

type eventsFollowIn struct {
	inContext
	Pattern  string `json:"pattern,omitempty" jsonschema:"Which events, by subject: ctx.<context id>.<type> or sys.<type>. * stands for one token and > for all at the end: ctx.*.block.> follows the blocks of all contexts. Beside a context it is of what is below it: block.>. Default: everything of the context." rule:"maxlen=500"`
	Since    string `json:"since,omitempty" jsonschema:"Go on here: next of the call before, the id of an event, or, of one context, a version. Default: with what comes from now on." rule:"maxlen=200"`
	Snapshot bool   `json:"snapshot,omitempty" jsonschema:"Without since, of one context: return the whole context, too; the events are newer."`
	Limit    int    `json:"limit,omitempty" jsonschema:"How many events to return at most." rule:"min=1,max=1000,default=100"`
	WaitMS   int    `json:"wait_ms,omitempty" jsonschema:"How long to wait for the first event, in milliseconds. Default: not at all." rule:"min=0,max=25000"`
}

type eventsFollowOut struct {
	Events   []json.RawMessage `json:"events" jsonschema:"In order: type, context, block, version, part of parts, principal, time and data of each. Apply all parts of a version."`
	Next     string            `json:"next" jsonschema:"Pass it as since to go on."`
	Reset    string            `json:"reset,omitempty" jsonschema:"Why it could not go on from since: what was known is to be forgotten. Of one context, the snapshot is what to begin with again."`
	Snapshot json.RawMessage   `json:"snapshot,omitempty" jsonschema:"The context: version, heads, title, and blocks in document order."`
}

func (o *operations) eventsFollow() *op.Op {
	return define(o, op.Spec{
		Name: "events_follow", Title: "Follow events", Args: []string{"context"},
		Summary: "Follow what happens in a context, or in all: wait for the next events and return them",
		Description: "Call it again with `next` to go on: nothing is left out and nothing comes twice, also when the server was started again. " +
			"A `reset` says that this is not possible, for the events are of another node or too long ago. " +
			"Without `since` it returns where now is. Events of what is not in a document, such as seats, are kept for a short time only. " +
			"A stream is at `GET /v1/events`.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("events_follow"),
	}, o.followEvents)
}

func (o *operations) followEvents(ctx context.Context, c op.Call, in eventsFollowIn) (out eventsFollowOut, err error) {
	hub := o.parts.Events
	if hub == nil {
		return out, fmt.Errorf("this server does not tell of events: %w", kaijutsu.ErrUnavailable)
	}
	if in.Snapshot && in.Since != "" {
		return out, &op.FieldError{Field: "snapshot", Reason: "there is a since, too", Hint: "give one of them"}
	}
	var doc kaijutsu.DocumentID
	if in.Context != "" || in.Pattern == "" {
		if doc, err = o.parts.Kernel.Resolve(ctx, c, in.Context, kaijutsu.RightRead); err != nil {
			return out, err
		}
	}
	want := follow.Want{Since: in.Since, Snapshot: in.Snapshot, By: c.By, Right: o.rightNow(c)}
	if want.Pattern, err = hub.Pattern(doc, in.Pattern); err != nil {
		return out, err
	}
	f, err := hub.Follow(ctx, want)
	if err != nil {
		return out, err
	}
	defer f.Close()
	wait, cancel := context.WithTimeout(ctx, time.Duration(in.WaitMS)*time.Millisecond)
	defer cancel()
	return gather(wait, f, in.Limit)
}

// rightNow is what a caller may do with a document from now on, also when that
// changes in the middle of a call. Of a context that was deleted it is what it
// would be.
func (o *operations) rightNow(c op.Call) func(kaijutsu.DocumentID) kaijutsu.Right {
	if _, known := o.parts.Access.Member(c.By.Name); known || c.Bounds != nil {
		return func(doc kaijutsu.DocumentID) kaijutsu.Right {
			if o.parts.Kernel.SyncRight(c.By, doc) == kaijutsu.RightNone && !o.parts.Kernel.Deleted(doc) {
				return kaijutsu.RightNone
			}
			return c.Bounds.Document(doc, o.parts.Access.Current(c.By, doc))
		}
	}
	return func(doc kaijutsu.DocumentID) kaijutsu.Right { return o.parts.Kernel.Right(c, doc) }
}

// gather reads what there is, and waits when that is nothing.
func gather(ctx context.Context, f *follow.Follower, limit int) (eventsFollowOut, error) {
	out := eventsFollowOut{Events: []json.RawMessage{}, Next: f.ID()}
	size := 0
	for {
		items, err := f.Next(ctx)
		var ended *follow.Ended
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			out.Next = f.ID()
			return out, nil
		case errors.As(err, &ended) && len(out.Events) > 0: // the next call says so
			return out, nil
		case err != nil:
			return out, err
		}
		for _, i := range items {
			switch i.Name {
			case follow.Hello:
			case follow.Snapshot:
				out.Snapshot = i.Data
			case follow.Reset:
				var r struct{ Reason string }
				if err := json.Unmarshal(i.Data, &r); err != nil {
					return out, err
				}
				out.Reset = r.Reason
			default:
				out.Events = append(out.Events, i.Data)
				size += len(i.Data)
			}
			if i.ID != "" {
				out.Next = i.ID
			}
			if len(out.Events) == limit || size > maxEventBytes {
				return out, nil
			}
		}
		if out.Snapshot != nil || out.Reset != "" || len(out.Events) > 0 {
			out.Next = f.ID()
			return out, nil
		}
	}
}
