package kernel

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/flowbus"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

// Limits of questions.
const (
	// DefaultAskFor and MaxAskFor are how long a question waits for its answer.
	DefaultAskFor = 5 * time.Minute
	MaxAskFor     = 24 * time.Hour
)

// ExpiresLayout is how the end of a question's time is written: to the
// millisecond.
const ExpiresLayout = "2006-01-02T15:04:05.000Z07:00"

// expiresAt is when the time of a question is over that is asked now: never
// before the time that was asked for.
func expiresAt(now time.Time, wait time.Duration) time.Time {
	return now.Add(wait + time.Millisecond - 1).UTC().Truncate(time.Millisecond)
}

// What an answer does.
const (
	ElicitAccept  = "accept"
	ElicitDecline = "decline"
	ElicitCancel  = "cancel"
)

// Why a question ended so.
const (
	ReasonAnswered    = "answered"    // somebody accepted
	ReasonDenied      = "denied"      // somebody declined
	ReasonCancelled   = "cancelled"   // somebody took it back, or the block was closed or deleted
	ReasonExpired     = "expired"     // nobody answered in time
	ReasonUnavailable = "unavailable" // nobody was there who could, and nothing was asked
)

// The names of the operations that make changes for questions: a change says
// which, and other nodes see by it that there is a question.
const (
	opElicit = "elicit"
	opAnswer = "elicit_answer"
	opExpire = "elicit_expire"
)

// Question is what somebody wants to know.
type Question struct {
	Message string
	// Schema is the JSON schema of what is accepted; nil: any object.
	Schema json.RawMessage
	// For is how long it waits; 0 is DefaultAskFor.
	For time.Duration
	// IfPresent says that it is asked only while somebody who could answer has a
	// seat at the context.
	IfPresent bool
}

// Outcome is what came of a question so far.
type Outcome struct {
	Context kaijutsu.DocumentID
	Block   blocks.ID // the question's; "" when nothing was asked
	Pending bool      // nobody has answered yet
	// Action is accept, decline or cancel; Reason is why: see ReasonAnswered
	// and those below it. Both are empty while Pending.
	Action, Reason string
	Content        json.RawMessage // what was accepted; nil: nothing else was said
	By             string          // the name of who answered
	Answer         blocks.ID       // the block of the answer; "": there is none
	Expires        time.Time
}

// Ask puts a question into a context: a block of kind query that is pending
// until somebody answers (AnswerElicit) or its time is over. The error wraps
// kaijutsu.ErrDenied when the caller may not edit the context and ErrInvalid
// when the schema is none.
func (k *Kernel) Ask(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, q Question) (Outcome, error) {
	if q.For == 0 {
		q.For = DefaultAskFor
	}
	if err := k.mayEdit(c, doc, kaijutsu.RightEdit); err != nil {
		return Outcome{}, err
	}
	if q.Schema != nil {
		if err := op.CheckSchema("schema", q.Schema); err != nil {
			return Outcome{}, err
		}
	}
	if q.IfPresent && !k.answerable(c, doc) {
		return Outcome{Context: doc, Action: ElicitDecline, Reason: ReasonUnavailable}, nil
	}
	now := k.cfg.Now()
	id := blocks.NewID(now)
	m := &elicitMeta{By: c.By.Name, Schema: q.Schema, Seconds: int((q.For + time.Second - 1) / time.Second), Expires: expiresAt(now, q.For)}
	meta, err := m.into("")
	if err != nil {
		return Outcome{}, err
	}
	if err := k.questions.begin(ctx, doc); err != nil {
		return Outcome{}, err
	}
	edited, err := k.Edit(ctx, c, doc, opElicit, func(_ repo.View, tx *blocks.Tx) error {
		return tx.InsertBlock(blocks.BlockSpec{
			ID: id, Kind: blocks.KindQuery, Role: askerRole(c.By), Status: blocks.StatusPending,
			Form: blocks.FormBody, Content: q.Message, Meta: meta,
		})
	})
	if err != nil {
		return Outcome{}, err
	}
	k.questions.asked(doc, id, now.Add(q.For))
	e := k.event(flowbus.ElicitationRequest, c.By, doc, &flowbus.Elicitation{
		ID: string(id), Message: q.Message, Schema: q.Schema, Expires: m.Expires.Format(ExpiresLayout),
	})
	k.emit(about(e, id, edited.Change))
	return Outcome{Context: doc, Block: id, Pending: true, Expires: m.Expires}, nil
}

// askerRole is the role of a question's block.
func askerRole(by kaijutsu.Principal) blocks.Role {
	if by.Kind == kaijutsu.Agent {
		return blocks.RoleTool
	}
	return blocks.RoleSystem
}

// answerable reports whether anybody is seated at a context, on any node, who
// may answer there, other than the asker where it asks from.
func (k *Kernel) answerable(c op.Call, doc kaijutsu.DocumentID) bool {
	for _, s := range k.seats.list() {
		own := s.Principal == c.By && s.Instance == InstanceOf(c)
		if s.Context == doc && !own && k.cfg.Access.Current(s.Principal, doc) >= kaijutsu.RightEdit {
			return true
		}
	}
	return false
}

// AwaitAnswer returns what came of a question, as soon as it is over, or as it
// is when ctx ends. The error wraps kaijutsu.ErrNotFound when there is no such
// block, or the caller may not read it, and ErrInvalid when it is no question.
func (k *Kernel) AwaitAnswer(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, id blocks.ID) (Outcome, error) {
	look := context.WithoutCancel(ctx) // the last look is after ctx has ended
	watch, err := k.Watch(look, c, doc)
	if err != nil {
		return Outcome{}, err
	}
	defer watch.Close()
	for {
		out, err := k.Outcome(look, c, doc, id)
		if err != nil || !out.Pending || ctx.Err() != nil {
			return out, err
		}
		// The keeper of questions closes it; should it not, the time is over all
		// the same.
		until, stop := context.WithTimeout(ctx, max(k.questions.left(doc, id, out.Expires), time.Millisecond))
		_, err = watch.Next(until)
		stop()
		if err != nil && until.Err() == nil {
			return out, err
		}
	}
}

// Outcome returns what came of a question so far.
func (k *Kernel) Outcome(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, id blocks.ID) (Outcome, error) {
	var out Outcome
	err := k.View(ctx, c, doc, func(v repo.View) (err error) {
		out, err = k.outcomeIn(v, doc, id)
		return err
	})
	return out, err
}

// outcomeIn reads what came of a question.
func (k *Kernel) outcomeIn(v repo.View, doc kaijutsu.DocumentID, id blocks.ID) (Outcome, error) {
	b, ok := v.Block(id)
	if !ok {
		return Outcome{}, fmt.Errorf("block %s: %w in context %s", id, kaijutsu.ErrNotFound, doc.Name())
	}
	m, ok := elicitOf(b.Block)
	if !ok {
		return Outcome{}, fmt.Errorf("block %s: it is no question: %w: name one that elicit made", id, kaijutsu.ErrInvalid)
	}
	out := Outcome{Context: doc, Block: id, Expires: m.Expires}
	switch a := m.Answer; {
	case a != nil && b.Status.Terminal():
		out.Action, out.Reason, out.Answer = a.Action, a.Reason, a.Block
		answer, ok := v.Block(a.Block)
		if ok = ok && answer.Parent == id; ok {
			out.By = answer.By.Name // who made it is on record; the meta says what somebody wrote
		}
		if ok && a.Action == ElicitAccept && json.Valid([]byte(answer.Content)) {
			out.Content = json.RawMessage(answer.Content)
		}
	case b.Deleted || b.Status.Terminal(): // by hand
		out.Action, out.Reason = ElicitCancel, ReasonCancelled
	case k.questions.left(doc, id, m.Expires) <= 0:
		out.Action, out.Reason = ElicitDecline, ReasonExpired
	default:
		out.Pending = true
	}
	return out, nil
}
