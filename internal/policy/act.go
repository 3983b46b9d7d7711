package policy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/guard"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/repo"
)

const (
	actPrefix = "act/"
	// actOp is the operation that the change names.
	actOp = "drift_act"
	// maxAsking is how many questions are waited for, maxAskingBy how many about
	// blocks of one principal.
	maxAsking, maxAskingBy = 256, 16
)

// actRow is a drift block whose receiver was asked whether to act.
type actRow struct {
	V        int       `json:"v"`
	Doc      string    `json:"doc"`
	Question blocks.ID `json:"question"`
	By       string    `json:"by,omitempty"` // the author of the drift block
}

// ask asks in a context whether to act on a drift block there. Whoever may edit
// the context may answer.
func (k *Keeper) ask(p *Policy, t *task, b repo.Block, n note) {
	name := actPrefix + string(b.ID)
	if _, there := k.cfg.Table.Get(name); there {
		return
	}
	if !k.delivered(t.doc, b.ID) {
		return
	}
	if p.Act != ActAsk { // the policy is another one by now
		k.settle(t.doc, b.ID, k.Act(drift.Item{}))
		return
	}
	if all, own := k.asked(b.By); all >= maxAsking || own >= maxAskingBy {
		k.say("asking "+b.By.String(), "drift policy: too many questions whether to act wait for an answer; this one counts as declined", "context", t.doc.Name(), "block", b.ID, "by", b.By, "theirs", own, "all", all)
		k.settle(t.doc, b.ID, drift.ActDeclined)
		return
	}
	wait := p.ActWait
	if wait == 0 {
		wait = defaultWait
	}
	from := n.meta.SourceTitle
	if from == "" {
		from = n.meta.SourceContext
	}
	asked, err := k.cfg.Kernel.Ask(k.stopping, k.call(t.doc), t.doc, kernel.Question{
		Message: fmt.Sprintf("%s asks from %q that somebody here act on drift block %s. Grant it?", b.By.Name, drift.Quote(from), b.ID),
		For:     wait,
	})
	if err == nil {
		var value []byte
		if value, err = json.Marshal(actRow{1, t.doc.String(), asked.Block, b.By.String()}); err == nil {
			err = k.cfg.Table.Put(k.stopping, Service, name, value)
		}
	}
	if err != nil && k.stopping.Err() == nil {
		k.say("ask "+t.doc.String(), "drift policy: nobody can be asked whether to act, which counts as declined", "context", t.doc.Name(), "block", b.ID, "err", err)
		k.settle(t.doc, b.ID, drift.ActDeclined)
	}
}

// followActs waits for the answers to all questions, those of other nodes too:
// the first node that sees one notes it.
func (k *Keeper) followActs() {
	follow := func(name string, value []byte) {
		k.mu.Lock()
		defer k.mu.Unlock()
		if value == nil || k.asking[name] || k.stopping.Err() != nil {
			return
		}
		k.asking[name] = true
		k.running.Go(guard.Func(k.cfg.Log, "act of a policy", func() {
			k.await(name, value)
			k.mu.Lock()
			delete(k.asking, name)
			k.mu.Unlock()
		}))
	}
	k.stops = append(k.stops, k.cfg.Table.Watch(actPrefix, follow))
	for name, value := range k.cfg.Table.All(actPrefix) {
		follow(name, value)
	}
}

// await waits for the answer to a question and notes it.
func (k *Keeper) await(name string, value []byte) {
	block := blocks.ID(strings.TrimPrefix(name, actPrefix))
	var row actRow
	err := json.Unmarshal(value, &row)
	var doc kaijutsu.DocumentID
	if err == nil {
		doc, err = kaijutsu.ParseDocumentID(row.Doc)
	}
	if err != nil || row.V != 1 {
		k.say("act", "drift policy: a record of a question cannot be read", "record", name, "err", err)
		return
	}
	out, err := k.answer(doc, row.Question)
	if k.stopping.Err() != nil {
		return
	}
	act := drift.ActDeclined
	if err == nil && out.Action == kernel.ElicitAccept && !k.ownWish(doc, block, out.By) {
		act = drift.ActGranted
	}
	k.settle(doc, block, act)
	if err := k.cfg.Table.Delete(k.stopping, Service, name); err != nil && k.stopping.Err() == nil {
		k.say("act", "drift policy: a record of a question stays", "record", name, "err", err)
	}
}

// answer waits until a question is over.
func (k *Keeper) answer(doc kaijutsu.DocumentID, question blocks.ID) (kernel.Outcome, error) {
	for {
		ctx, cancel := context.WithTimeout(k.stopping, time.Hour)
		out, err := k.cfg.Kernel.AwaitAnswer(ctx, k.call(doc), doc, question)
		cancel()
		if err == nil && !out.Pending || k.stopping.Err() != nil {
			return out, err
		}
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			return out, err
		}
	}
}

// ownWish reports whether somebody is the agent that wrote a block: what an
// agent asks for, it does not grant.
func (k *Keeper) ownWish(doc kaijutsu.DocumentID, id blocks.ID, by string) bool {
	own := false
	err := k.cfg.Repo.View(k.stopping, doc, func(v repo.View) error {
		b, ok := v.Block(id)
		own = !ok || b.By.Name == by && b.By.Kind == kaijutsu.Agent
		return nil
	})
	return err != nil || own // own is not to be looked at after an error: the view may still run
}

// settle notes in a drift block what became of the wish to act, unless that is
// noted already; also in a context that is archived.
func (k *Keeper) settle(doc kaijutsu.DocumentID, id blocks.ID, act string) {
	note := func(v repo.View, tx *blocks.Tx) error {
		b, ok := v.Block(id)
		if !ok || b.Deleted || noteOf(b.Block).act != drift.ActPending {
			return nil
		}
		meta := object(b.Meta)
		meta["act"], _ = json.Marshal(act) // a word
		text, err := json.Marshal(meta)
		if err != nil {
			return fmt.Errorf("meta of block %s: %w: %w", id, err, kaijutsu.ErrInvalid)
		}
		return tx.SetMeta(id, string(text))
	}
	_, err := k.cfg.Kernel.Edit(k.stopping, k.call(doc), doc, actOp, note)
	if errors.Is(err, kaijutsu.ErrConflict) { // archived meanwhile: it says what became of the wish all the same
		_, err = k.cfg.Repo.Edit(k.stopping, doc, repo.Edit{By: Service, Message: "op:" + actOp}, note)
	}
	if err != nil && k.stopping.Err() == nil {
		k.say("settle "+doc.String(), "drift policy: what became of a wish to act cannot be noted", "context", doc.Name(), "block", id, "act", act, "err", err)
	}
}
