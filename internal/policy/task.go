package policy

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
)

// taskKey names a block that is to be looked at, or one push of it.
type taskKey struct {
	doc   kaijutsu.DocumentID
	block blocks.ID
	push  string // the drift's id of a push that waits; "" to look
}

// task is a block that is to be looked at, or a push that waits, and until when.
type task struct {
	taskKey
	seq uint64 // the entry of the journal that it comes from
	due time.Time

	// news says that the block changed otherwise than in its content. done and
	// mention say what live text is waited for: its being written, and its being
	// quiet.
	news, done, mention bool
	// hands are those who changed it otherwise than in its content, typed those
	// who changed that.
	hands, typed []kaijutsu.Principal

	push   *push
	tries  int
	flying bool // the lane has it
}

// touch notes a block. Its content alone makes nothing new of it, but of live
// text, which a mention may have come into, and of what is waited for.
func (k *Keeper) touch(p *Policy, e repo.Entry, t touched) {
	const news = blocks.TouchInserted | blocks.TouchStatus | blocks.TouchMeta | blocks.TouchRestored | blocks.TouchFlags
	key, now := taskKey{doc: e.Doc, block: t.id}, k.cfg.Now()
	k.mu.Lock()
	defer k.mu.Unlock()
	was := k.tasks[key]
	switch {
	case t.how&news != 0:
		if was == nil {
			was = &task{taskKey: key}
			k.tasks[key] = was
		}
		was.news, was.due = true, now
		was.hands = withHand(was.hands, t.by)
	case t.how&blocks.TouchContent == 0:
		return
	case was != nil:
		was.typed = withHand(was.typed, t.by)
		if !was.news {
			was.due = now.Add(k.cfg.Quiet)
		}
	case p.mentions():
		was = &task{taskKey: key, mention: true, due: now.Add(k.cfg.Quiet), typed: []kaijutsu.Principal{t.by}}
		k.tasks[key] = was
	default:
		return
	}
	was.seq = max(was.seq, e.Seq)
}

// runDue does what is due, and returns how long it is until something else is;
// 0: nothing waits.
func (k *Keeper) runDue(p *Policy, lane chan<- *task) time.Duration {
	for {
		tasks, wait := k.due()
		if len(tasks) == 0 {
			return wait
		}
		for _, t := range tasks {
			switch {
			case k.stopping.Err() != nil:
				return 0
			case t.push == nil:
				k.look(p, t)
			case t.push.summarize:
				select {
				case lane <- t:
				case <-k.stopping.Done():
				}
			default:
				k.finish(t, k.fire(t.push))
			}
		}
	}
}

// due returns what is due, what is due longest first, or else how long it is
// until something is. Of what waits for the lane it returns one, and marks it,
// when the lane is free.
func (k *Keeper) due() (tasks []*task, wait time.Duration) {
	now := k.cfg.Now()
	k.mu.Lock()
	defer k.mu.Unlock()
	var lane *task
	busy := false
	for _, t := range k.tasks {
		busy = busy || t.flying
	}
	for _, t := range k.tasks {
		slow := t.push != nil && t.push.summarize
		switch left := t.due.Sub(now); {
		case t.flying, slow && busy: // the lane wakes the worker
		case left > 0:
			if wait == 0 || left < wait {
				wait = left
			}
		case !slow:
			tasks = append(tasks, t)
		case lane == nil || t.due.Before(lane.due):
			lane = t
		}
	}
	if lane != nil {
		lane.flying = true
		tasks = append(tasks, lane)
	}
	slices.SortFunc(tasks, func(a, b *task) int { return cmp.Or(a.due.Compare(b.due), cmp.Compare(a.seq, b.seq)) })
	return tasks, wait
}

// lane pushes what has to be distilled first, which may take long, one by one.
func (k *Keeper) lane(tasks <-chan *task) {
	for t := range tasks {
		k.finish(t, k.fire(t.push))
		k.wake()
	}
}

const (
	maxTries   = 8
	firstRetry = time.Second // and twice as long each time
)

// finish takes away a push that is over, or has it tried again.
func (k *Keeper) finish(t *task, again error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	t.flying = false
	if again == nil || k.stopping.Err() != nil && errors.Is(again, k.stopping.Err()) {
		if again == nil {
			delete(k.tasks, t.taskKey)
		}
		return // else the mark stays behind it, for the next start
	}
	if t.tries++; t.tries < maxTries {
		t.due = k.cfg.Now().Add(firstRetry << (t.tries - 1))
		return
	}
	delete(k.tasks, t.taskKey)
	k.counts.Failed++
	k.cfg.Log.Error("drift policy: a block is not pushed", "context", t.doc.Name(), "block", t.block, "drift", t.push.id, "err", again)
}
