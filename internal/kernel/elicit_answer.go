package kernel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/flowbus"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

const (
	claimPrefix = "elicit."
	// claimTTL is how long a question is claimed for one answer: until every
	// node has it in the document.
	claimTTL = time.Minute
	// claimWait is how long NATS may take to say whose answer is first.
	claimWait = 2 * time.Second
)

// keeper is who closes questions that nobody answered.
var keeper = kaijutsu.Principal{Name: "kernel", Kind: kaijutsu.Service}

// Reply is an answer.
type Reply struct {
	Action  string          // accept, decline or cancel
	Content json.RawMessage // what is accepted: an object of the question's schema
}

// claim is what NATS holds of a question that is being answered.
type claim struct {
	V      int    `json:"v"`
	By     string `json:"by"`
	Action string `json:"action"`
	Node   string `json:"node"`
	Token  uint64 `json:"token,omitempty"` // of the lease, when it expired
}

// AnswerElicit answers a question. The first answer counts, on whichever node
// it is given: the others are refused, with an error that wraps
// kaijutsu.ErrConflict and names the first. The error wraps
// kaijutsu.ErrDenied when the caller may not edit the context, and ErrInvalid
// when the block is no question or the content not what was asked for.
func (k *Kernel) AnswerElicit(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, id blocks.ID, r Reply) (Outcome, error) {
	if err := k.mayEdit(c, doc, kaijutsu.RightEdit); err != nil {
		return Outcome{}, err
	}
	err := k.View(ctx, c, doc, func(v repo.View) error { return k.open(v, doc, id, r) })
	if err != nil {
		return Outcome{}, err
	}
	give, err := k.claim(ctx, id, claim{By: c.By.Name, Action: r.Action})
	if err != nil {
		return Outcome{}, err
	}
	a := answerMeta{Action: r.Action, By: c.By.Name, At: k.cfg.Now().UTC().Truncate(time.Second)}
	status := blocks.StatusDone
	switch r.Action {
	case ElicitAccept:
		a.Reason = ReasonAnswered
	case ElicitDecline:
		a.Reason = ReasonDenied
	default:
		a.Reason, status = ReasonCancelled, blocks.StatusCancelled
	}
	a.Block = blocks.NewID(a.At)
	edited, err := k.Edit(ctx, c, doc, opAnswer, func(v repo.View, tx *blocks.Tx) error {
		if err := k.open(v, doc, id, r); err != nil {
			return err
		}
		if err := tx.InsertBlock(answerBlock(c.By, id, a, r)); err != nil {
			return err
		}
		return closeQuestion(v, tx, id, status, a)
	})
	if err != nil {
		give()
		return Outcome{}, err
	}
	k.questions.answered(doc, id)
	k.tellAnswer(c.By, doc, id, a, edited.Change)
	return k.Outcome(ctx, c, doc, id)
}

// answerBlock is the block of an answer, below the question.
func answerBlock(by kaijutsu.Principal, question blocks.ID, a answerMeta, r Reply) blocks.BlockSpec {
	spec := blocks.BlockSpec{
		ID: a.Block, Parent: question, Role: blocks.RoleUser, Form: blocks.FormBody, Content: r.Action,
		Meta: fmt.Sprintf(`{"elicit_answer":%q}`, r.Action),
	}
	if by.Kind != kaijutsu.Person {
		spec.Role = blocks.RoleModel
	}
	if r.Content != nil {
		spec.Content = string(r.Content)
	}
	return spec
}

// closeQuestion writes what came of a question into its block.
func closeQuestion(v repo.View, tx *blocks.Tx, id blocks.ID, status blocks.Status, a answerMeta) error {
	b, _ := v.Block(id)
	m, ok := elicitOf(b.Block)
	if !ok {
		return fmt.Errorf("block %s: it is no question any more: %w", id, kaijutsu.ErrConflict)
	}
	m.Answer = &a
	meta, err := m.into(b.Meta)
	if err != nil {
		return err
	}
	if err := tx.SetMeta(id, meta); err != nil {
		return err
	}
	return tx.SetStatus(id, status)
}

// open refuses an answer that a question does not take, or does not take any
// more.
func (k *Kernel) open(v repo.View, doc kaijutsu.DocumentID, id blocks.ID, r Reply) error {
	out, err := k.outcomeIn(v, doc, id)
	if err != nil {
		return err
	}
	switch {
	case !out.Pending && out.Reason == ReasonExpired:
		return fmt.Errorf("question %s: it has expired, at %s: %w: ask again", id, out.Expires.Format(ExpiresLayout), kaijutsu.ErrConflict)
	case !out.Pending && out.By != "":
		return answeredBy(id, out.By, out.Action)
	case !out.Pending:
		return fmt.Errorf("question %s: %w: it is closed; its block says what came of it", id, kaijutsu.ErrConflict)
	}
	b, _ := v.Block(id)
	m, _ := elicitOf(b.Block)
	return r.check(m.Schema)
}

func answeredBy(id blocks.ID, by, action string) error {
	return fmt.Errorf("question %s: %s has answered it already, with %s; the first answer counts: %w", id, by, action, kaijutsu.ErrConflict)
}

// check holds an answer against what was asked for.
func (r Reply) check(schema json.RawMessage) error {
	switch {
	case r.Action != ElicitAccept && r.Content != nil:
		return &op.FieldError{Field: "content", Reason: "it goes with accept only", Hint: "leave it out"}
	case r.Action != ElicitAccept:
		return nil
	case schema == nil && r.Content == nil:
		return nil
	case r.Content == nil:
		return &op.FieldError{Field: "content", Reason: "is required: the question asks for one", Hint: fmt.Sprintf("its schema is %.500s", schema)}
	case schema == nil:
		schema = json.RawMessage(`{"type":"object"}`)
	}
	return op.CheckValue("content", schema, r.Content)
}

// claim makes this answer the first one, as far as NATS knows; give gives it
// back when it cannot be written. Without NATS the document decides.
func (k *Kernel) claim(ctx context.Context, id blocks.ID, c claim) (give func(), err error) {
	bus, key := k.cfg.Bus, claimPrefix+string(id)
	if bus == nil {
		return func() {}, nil
	}
	c.V, c.Node = 1, k.node()
	value, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	wait, cancel := context.WithTimeout(ctx, claimWait)
	defer cancel()
	_, err = bus.Create(wait, key, value, claimTTL)
	if errors.Is(err, kaijutsu.ErrConflict) {
		return nil, k.claimed(wait, id)
	}
	if err != nil {
		k.log.Debug("question not claimed", "block", id, "err", err)
		return func() {}, ctx.Err()
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimWait)
		defer cancel()
		if err := bus.Delete(ctx, key); err != nil { // and it expires
			k.log.Debug("claim not given back", "block", id, "err", err)
		}
	}, nil
}

// claimed says whose answer was first.
func (k *Kernel) claimed(ctx context.Context, id blocks.ID) error {
	var first claim
	value, _, err := k.cfg.Bus.Get(ctx, claimPrefix+string(id))
	if err == nil {
		err = json.Unmarshal(value, &first)
	}
	switch {
	case err != nil || !shows(first.By, 64) || !shows(first.Action, 64):
		return fmt.Errorf("question %s: somebody is answering it just now: %w", id, kaijutsu.ErrConflict)
	case first.Token != 0:
		return fmt.Errorf("question %s: it has expired: %w: ask again", id, kaijutsu.ErrConflict)
	}
	return answeredBy(id, first.By, first.Action)
}

// about says which block an event is about, and the change that wrote it.
func about(e flowbus.Event, id blocks.ID, change kaijutsu.ChangeHash) flowbus.Event {
	e.Block = string(id)
	if e.Context != (kaijutsu.ContextID{}) {
		e.Change = change
	}
	return e
}

// tellAnswer tells what came of a question, with the change that says so.
func (k *Kernel) tellAnswer(by kaijutsu.Principal, doc kaijutsu.DocumentID, id blocks.ID, a answerMeta, change kaijutsu.ChangeHash) {
	e := k.event(flowbus.ElicitationAnswered, by, doc, &flowbus.Answer{ID: string(id), Action: a.Action, Reason: a.Reason})
	k.emit(about(e, id, change))
}
