package courier

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/flowbus"
	"kaijutsu/internal/op"
	"kaijutsu/internal/records"
)

// refusal is a drift of another kernel that somebody here did not want: its
// sender hears why when it offers it again.
type refusal struct {
	reason string
	by     kaijutsu.Principal // who offered it
	at     time.Time
}

type refusalRow struct {
	V      int                    `json:"v"`
	Reason string                 `json:"reason"`
	By     string                 `json:"by"`
	Kind   kaijutsu.PrincipalKind `json:"by_kind"`
	At     time.Time              `json:"at"`
}

// Consent says what is done with an item of another kernel that is held: it is
// delivered by the caller's right, with who offered it as the author, or not,
// and its sender is told the reason. The caller must be able to edit the target.
// A delivery that fails leaves it held.
func (c *Courier) Consent(ctx context.Context, call op.Call, ref string, accept bool, reason string) (Outcome, error) {
	e, err := c.find(call, ref)
	if err != nil {
		return Outcome{}, err
	}
	if e.State != drift.StateHeld {
		return Outcome{}, fmt.Errorf("drift #%d: %w: it is %s and waits for nobody's consent", e.Number, kaijutsu.ErrConflict, e.State)
	}
	if c.cfg.Kernel.Right(call, e.Target) < kaijutsu.RightEdit {
		return Outcome{}, fmt.Errorf("drift #%d: %w: it takes the role %s in context %s", e.Number, kaijutsu.ErrDenied, kaijutsu.RightEdit, e.Target.Name())
	}
	leave, err := c.lease.hold(ctx, e.Target)
	if err != nil {
		return Outcome{}, fmt.Errorf("drift #%d: %w", e.Number, err)
	}
	defer leave()
	release, came, err := c.claim(ctx, e.ID)
	if err != nil {
		return Outcome{}, err
	}
	defer func() { release(came) }()
	it, err := c.queue.whole(e.ID)
	if err != nil {
		return Outcome{}, fmt.Errorf("drift #%d: %w: somebody has decided meanwhile", e.Number, kaijutsu.ErrConflict)
	}
	if !accept {
		return c.decline(ctx, call, it, reason)
	}
	d, already, err := c.carry(ctx, &it, call)
	if err != nil {
		return Outcome{Item: it, State: drift.StateHeld, Doc: it.Target, Reason: clip(err.Error())}, fmt.Errorf("drift #%d was not delivered, and is held: %w", it.Number, err)
	}
	d, err = c.settled(context.WithoutCancel(ctx), it, d, nil)
	came = &d
	return Outcome{Item: it, State: d.State, Doc: it.Target, Block: d.Block, Already: already}, err
}

// decline forgets an item that is held, and remembers why for its sender.
func (c *Courier) decline(ctx context.Context, call op.Call, it drift.Item, reason string) (Outcome, error) {
	if reason = clip(strings.TrimSpace(reason)); reason == "" {
		reason = "declined by " + call.By.Name
	}
	value, err := json.Marshal(refusalRow{V: 1, Reason: reason, By: it.By.Name, Kind: it.By.Kind, At: c.now()})
	if err != nil {
		return Outcome{}, err
	}
	recs := []records.Record{{Name: itemRecord + it.ID}, {Name: refusedRecord + it.ID, Value: value}}
	for _, id := range c.queue.oldRefusals() {
		recs = append(recs, records.Record{Name: refusedRecord + id})
	}
	if err := c.write(context.WithoutCancel(ctx), recs...); err != nil {
		return Outcome{}, fmt.Errorf("decline drift #%d: %w", it.Number, err)
	}
	c.emit(flowbus.DriftFailed, call.By, it.Target, &it, "", reason)
	return Outcome{Item: it, State: drift.StateCancelled, Doc: it.Target, Reason: reason}, nil
}

// refusal returns why a drift was declined, if it was.
func (q *queue) refusal(id string) (refusal, bool) {
	q.mu.RLock()
	defer q.mu.RUnlock()
	r, ok := q.refused[id]
	return r, ok
}

// oldRefusals returns the refusals that are forgotten so that there is room for
// one more: the oldest.
func (q *queue) oldRefusals() []string {
	q.mu.RLock()
	defer q.mu.RUnlock()
	if len(q.refused) < maxRefusals {
		return nil
	}
	ids := make([]string, 0, len(q.refused))
	for id := range q.refused {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int { return q.refused[a].at.Compare(q.refused[b].at) })
	return ids[:min(len(ids)-maxRefusals+1, maxGroup/2)]
}

// followRefusal takes a refusal over, whoever has written it.
func (q *queue) followRefusal(name string, value []byte) {
	id := strings.TrimPrefix(name, refusedRecord)
	var row refusalRow
	q.mu.Lock()
	defer q.mu.Unlock()
	if value == nil || json.Unmarshal(value, &row) != nil {
		delete(q.refused, id)
		return
	}
	q.refused[id] = refusal{clip(row.Reason), kaijutsu.Principal{Name: row.By, Kind: row.Kind}, row.At}
}
