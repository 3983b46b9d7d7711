package kernel

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/flowbus"
	"kaijutsu/internal/guard"
	"kaijutsu/internal/repo"
)

const (
	// questionRecord names the documents that may hold pending questions, for
	// the next start of this node.
	questionRecord = "elicit/pending/"
	// sweepEvery is how often what is overdue is tried again: by a node that
	// could not close it, or was not the one that does.
	sweepEvery = time.Second
	// lookAfter is how long a document with questions may change before it is
	// looked at.
	lookAfter = 100 * time.Millisecond
	// sweepLease is the lease of the node that closes what expired.
	sweepLease = "elicit"
	// maxQuestions bounds the pending questions that a node knows of in one
	// document.
	maxQuestions = 10_000
)

// questions is what this node knows of questions that wait for an answer: their
// documents, and when their time is over by its own clock. It learns of them by
// the changes that it takes in, so that every node knows all.
type questions struct {
	k *Kernel

	mu      sync.Mutex
	pending map[kaijutsu.DocumentID]map[blocks.ID]time.Time // guarded by mu; until when
	looks   map[kaijutsu.DocumentID]struct{}                // guarded by mu; documents to look at

	stir    chan struct{}
	stop    context.CancelFunc
	running sync.WaitGroup

	// Of the goroutine.
	lease  *flowbus.Lease
	failed time.Time // when there was no lease to be had, first
}

// start begins to look after questions, first after those that were pending
// when the node went.
func (q *questions) start(k *Kernel) error {
	q.k, q.stir = k, make(chan struct{}, 1)
	q.pending, q.looks = make(map[kaijutsu.DocumentID]map[blocks.ID]time.Time), make(map[kaijutsu.DocumentID]struct{})
	for name, err := range k.cfg.Store.Records(questionRecord) {
		if err != nil {
			return err
		}
		if doc, err := kaijutsu.ParseDocumentID(strings.TrimPrefix(name, questionRecord)); err == nil {
			q.looks[doc] = struct{}{}
		}
	}
	var ctx context.Context
	ctx, q.stop = context.WithCancel(context.Background())
	q.running.Go(guard.Keep(q.k.cfg.Log, "keeper of questions", ctx.Done(), func() { q.keep(ctx) }))
	return nil
}

func (q *questions) close() {
	q.stop()
	q.running.Wait()
}

// begin puts a document on record before a question is asked in it.
func (q *questions) begin(ctx context.Context, doc kaijutsu.DocumentID) error {
	q.mu.Lock()
	known := q.pending[doc] != nil
	q.mu.Unlock()
	if known {
		return nil
	}
	return q.k.cfg.Store.PutRecord(ctx, questionRecord+doc.String(), []byte(`{"v":1}`))
}

// asked notes a question that was asked here.
func (q *questions) asked(doc kaijutsu.DocumentID, id blocks.ID, until time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.pending[doc] == nil {
		q.pending[doc] = make(map[blocks.ID]time.Time)
	}
	q.pending[doc][id] = until
}

// answered forgets a question.
func (q *questions) answered(doc kaijutsu.DocumentID, id blocks.ID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.pending[doc], id)
}

// left returns how long a question waits still: by this node's own clock, from
// when it saw it, or else by what the block says.
func (q *questions) left(doc kaijutsu.DocumentID, id blocks.ID, expires time.Time) time.Duration {
	q.mu.Lock()
	until, known := q.pending[doc][id]
	q.mu.Unlock()
	if !known {
		until = expires
	}
	return until.Sub(q.k.cfg.Now())
}

// note looks at what is committed: a question that was asked, or what may
// have happened to one. Document owners call it.
func (q *questions) note(c repo.Committed) {
	asked := slices.ContainsFunc(c.Changes, func(c repo.Change) bool {
		return c.Change != nil && strings.HasPrefix(c.Message, "op:"+opElicit)
	})
	q.mu.Lock()
	defer q.mu.Unlock()
	pending, known := q.pending[c.Doc]
	switch {
	case c.Deleted:
	case asked:
	case !known, !c.All && !slices.ContainsFunc(c.Deltas, func(d repo.Delta) bool { return touches(d, pending) }):
		return
	}
	q.looks[c.Doc] = struct{}{}
	select {
	case q.stir <- struct{}{}:
	default:
	}
}

func touches(d repo.Delta, pending map[blocks.ID]time.Time) bool {
	return slices.ContainsFunc(d.Blocks, func(b blocks.Touched) bool { _, ok := pending[b.ID]; return ok })
}

// keep looks at documents that changed, and closes what expired.
func (q *questions) keep(ctx context.Context) {
	defer q.release()
	swept := q.k.cfg.Now()
	for ctx.Err() == nil {
		q.lookAll(ctx)
		left := q.due(swept)
		if left <= 0 {
			swept = q.k.cfg.Now()
			q.sweep(ctx)
			continue
		}
		timer := time.NewTimer(left)
		select {
		case <-timer.C:
		case <-ctx.Done():
		case <-q.stir:
			timer.Reset(min(left, lookAfter))
			select {
			case <-timer.C:
			case <-ctx.Done():
			}
		}
		timer.Stop()
	}
}

// due returns how long it is until questions are looked at again that were
// looked at then: when the time of the next is over, or after sweepEvery.
func (q *questions) due(swept time.Time) time.Duration {
	now, at := q.k.cfg.Now(), swept.Add(sweepEvery)
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, all := range q.pending {
		for _, until := range all {
			if until.After(swept) && until.Before(at) {
				at = until
			}
		}
	}
	return min(at.Sub(now), sweepEvery)
}

// lookAll finds the questions of documents that may have others now.
func (q *questions) lookAll(ctx context.Context) {
	q.mu.Lock()
	docs := slices.SortedFunc(maps.Keys(q.looks), kaijutsu.DocumentID.Compare)
	clear(q.looks)
	q.mu.Unlock()
	for _, doc := range docs {
		if err := q.look(ctx, doc); err != nil && ctx.Err() == nil {
			q.k.log.Debug("questions not looked at", "context", doc.Name(), "err", err)
		}
	}
}

// look finds the questions that wait in a document.
func (q *questions) look(ctx context.Context, doc kaijutsu.DocumentID) error {
	now, found := q.k.cfg.Now(), make(map[blocks.ID]time.Time)
	err := q.k.cfg.Repo.View(ctx, doc, func(v repo.View) error {
		for s := range v.Model().Summaries() {
			if m, ok := elicitOf(s.Block); ok && !s.Status.Terminal() && len(found) < maxQuestions {
				found[s.ID] = m.until(now)
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, kaijutsu.ErrNotFound) {
		return err
	}
	q.mu.Lock()
	_, known := q.pending[doc]
	for id, until := range q.pending[doc] {
		if _, ok := found[id]; ok {
			found[id] = until // the first look counts
		}
	}
	some := len(found) > 0
	if q.pending[doc] = found; !some {
		delete(q.pending, doc)
	}
	q.mu.Unlock()
	return q.record(ctx, doc, known, some)
}

// until is when the time of a question is over, by our clock. That of who asked
// may be wrong: a moment that cannot be is replaced by the whole time from now
// on.
func (m *elicitMeta) until(now time.Time) time.Time {
	most := now.Add(time.Duration(m.Seconds) * time.Second)
	if m.Expires.Before(now) || m.Expires.After(most) {
		return most
	}
	return now.Add(m.Expires.Sub(now)) // of the monotonic clock
}

// record keeps on disk that a document has questions, or not.
func (q *questions) record(ctx context.Context, doc kaijutsu.DocumentID, known, some bool) error {
	switch {
	case some && !known:
		return q.k.cfg.Store.PutRecord(ctx, questionRecord+doc.String(), []byte(`{"v":1}`))
	case !some:
		if _, err := q.k.cfg.Store.Record(questionRecord + doc.String()); errors.Is(err, kaijutsu.ErrNotFound) {
			return nil
		}
		return q.k.cfg.Store.DeleteRecord(ctx, questionRecord+doc.String())
	}
	return nil
}

// overdue is a question whose time is over.
type overdue struct {
	doc kaijutsu.DocumentID
	id  blocks.ID
}

// sweep closes what nobody answered in time, if this node is the one that does.
func (q *questions) sweep(ctx context.Context) {
	q.mu.Lock()
	now, some := q.k.cfg.Now(), len(q.pending) > 0
	var late []overdue
	for doc, all := range q.pending {
		for id, until := range all {
			if !now.Before(until) {
				late = append(late, overdue{doc, id})
			}
		}
	}
	q.mu.Unlock()
	if !some {
		q.release()
		return
	}
	if len(late) == 0 {
		return
	}
	token, ok := q.hold(ctx)
	for _, o := range late {
		if !ok || q.lost() {
			return
		}
		if err := q.expire(ctx, o, token); err != nil && ctx.Err() == nil {
			q.k.log.Debug("question not closed", "context", o.doc.Name(), "block", o.id, "err", err)
		}
	}
}

// hold reports whether this node is the one that closes questions, and its
// token. Where NATS is away for longer than a lease lasts, every node is: the
// document takes it twice and shows it once.
func (q *questions) hold(ctx context.Context) (token uint64, ok bool) {
	if q.k.cfg.Bus == nil {
		return 0, true
	}
	if q.lease != nil && !q.lost() {
		return q.lease.Token(), true
	}
	q.lease = nil
	wait, cancel := context.WithTimeout(ctx, claimWait)
	defer cancel()
	lease, err := q.k.cfg.Bus.Hold(wait, sweepLease, flowbus.LeaseTTL)
	switch {
	case err == nil:
		q.lease, q.failed = lease, time.Time{}
		return lease.Token(), true
	case errors.Is(err, kaijutsu.ErrConflict):
		q.failed = time.Time{}
		return 0, false
	}
	now := q.k.cfg.Now()
	if q.failed.IsZero() {
		q.failed = now
	}
	return 0, now.Sub(q.failed) > flowbus.LeaseTTL
}

// lost reports whether another node may hold the lease.
func (q *questions) lost() bool {
	if q.lease == nil {
		return false
	}
	select {
	case <-q.lease.Lost():
		return true
	default:
		return false
	}
}

func (q *questions) release() {
	if q.lease != nil {
		q.lease.Release()
		q.lease = nil
	}
}

// errOver says that there is nothing to close any more.
var errOver = fmt.Errorf("the question is over: %w", kaijutsu.ErrConflict)

// expire closes a question that nobody answered. An answer that was first is
// left alone: the claim decides between nodes, the document's owner on this
// one.
func (q *questions) expire(ctx context.Context, o overdue, token uint64) error {
	give, err := q.k.claim(ctx, o.id, claim{By: keeper.Name, Action: ReasonExpired, Token: token})
	if errors.Is(err, kaijutsu.ErrConflict) {
		return nil // it is being answered; should it not come to that, the claim expires
	}
	if err != nil {
		return err
	}
	a := answerMeta{Action: ElicitDecline, Reason: ReasonExpired, At: q.k.cfg.Now().UTC().Truncate(time.Second)}
	edited, err := q.k.cfg.Repo.Edit(ctx, o.doc, repo.Edit{By: keeper, Message: "op:" + opExpire}, func(v repo.View, tx *blocks.Tx) error {
		b, ok := v.Block(o.id)
		if !ok || b.Status.Terminal() || b.Deleted || q.lost() {
			return errOver
		}
		return closeQuestion(v, tx, o.id, blocks.StatusCancelled, a)
	})
	if err != nil {
		give()
		if errors.Is(err, errOver) || errors.Is(err, kaijutsu.ErrNotFound) || errors.Is(err, kaijutsu.ErrConflict) {
			q.answered(o.doc, o.id)
			return nil
		}
		return err
	}
	q.answered(o.doc, o.id)
	q.k.tellAnswer(keeper, o.doc, o.id, a, edited.Change)
	return nil
}
