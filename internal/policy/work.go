package policy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/guard"
	"kaijutsu/internal/repo"
)

const (
	// saveEvery is how often the mark is written while it moves.
	saveEvery = time.Second
	// maxTasks is how many blocks wait before the journal does.
	maxTasks = 10_000
	// portion is how many changes are examined in an owner at a time.
	portion = 256
)

// Drive starts the worker: what the rules say is pushed through c. It may be
// called once.
func (k *Keeper) Drive(c Courier) error {
	at, known, err := readMark(k.cfg.File)
	if err != nil {
		return fmt.Errorf("start the drift policy: %w", err)
	}
	first, last := k.cfg.Repo.JournalEnds()
	if !known || at > last {
		at = last
	} else if at+1 < first && k.policy.Load().watches() {
		k.cfg.Log.Warn("drift policy: the journal begins after what was looked at last; what was committed in between pushes nothing", "from", at+1, "to", first-1)
	}
	k.mu.Lock()
	k.courier, k.from = c, at
	k.mu.Unlock()
	k.followActs()
	k.running.Go(guard.Keep(k.cfg.Log, "keeper of policies", k.stopping.Done(), k.work))
	return nil
}

// work looks at what was committed, and pushes.
func (k *Keeper) work() {
	lane := make(chan *task)
	k.running.Go(guard.Func(k.cfg.Log, "lane of policies", func() { k.lane(lane) }))
	defer close(lane)
	saved, savedAt := uint64(math.MaxUint64), time.Time{}
	for {
		p := k.policy.Load()
		var next time.Duration
		if p.watches() {
			whole := k.readJournal(p)
			next = k.runDue(p, lane)
			if !whole && (next == 0 || next > time.Second) {
				next = time.Second
			}
		} else {
			k.rest()
		}
		if mark := k.mark(p); mark != saved {
			if left := savedAt.Add(saveEvery).Sub(k.cfg.Now()); left <= 0 {
				k.save(mark)
				saved, savedAt = mark, k.cfg.Now()
			} else if next == 0 || next > left {
				next = left
			}
		}
		k.round()
		if !k.pause(next) {
			k.save(k.mark(k.policy.Load()))
			return
		}
	}
}

// round tells those who settle that the worker has done what there was.
func (k *Keeper) round() {
	k.mu.Lock()
	defer k.mu.Unlock()
	close(k.rounds)
	k.rounds = make(chan struct{})
}

// Settle waits until everything that was committed has been looked at and
// nothing waits any more: not for quiet, a distiller or another try.
func (k *Keeper) Settle(ctx context.Context) error {
	for first := true; ; first = false {
		k.mu.Lock()
		rounds := k.rounds
		_, last := k.cfg.Repo.JournalEnds()
		rest := k.from >= last && len(k.tasks) == 0
		k.mu.Unlock()
		if rest || !k.policy.Load().watches() {
			return nil
		}
		if first {
			k.wake()
		}
		select {
		case <-rounds:
		case <-ctx.Done():
			return ctx.Err()
		case <-k.stopping.Done():
			return fmt.Errorf("the drift policy ends: %w", kaijutsu.ErrUnavailable)
		}
	}
}

// pause waits until there is something to do, for a time at most unless it is
// 0; false: the Keeper is closing.
func (k *Keeper) pause(d time.Duration) bool {
	var due <-chan time.Time
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-k.woken:
	case <-due:
	case <-k.stopping.Done():
		return false
	}
	return k.stopping.Err() == nil
}

// rest forgets what waits: there are no rules any more.
func (k *Keeper) rest() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for key, t := range k.tasks {
		if !t.flying {
			delete(k.tasks, key)
		}
	}
}

// mark returns up to which entry everything was done; 0: nothing is looked at.
func (k *Keeper) mark(p *Policy) uint64 {
	if !p.watches() {
		return 0
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	at := k.from
	for _, t := range k.tasks {
		if t.seq > 0 {
			at = min(at, t.seq-1)
		}
	}
	return at
}

func (k *Keeper) save(mark uint64) {
	err := removeMark(k.cfg.File)
	if mark > 0 {
		err = writeMark(k.cfg.File, mark)
	}
	if err != nil {
		k.say("mark", "drift policy: how far the journal was looked at is not stored", "err", err)
	}
}

// readJournal notes the blocks that changes made here touched. It reports
// whether it came to the journal's end: what is left is to be read soon.
func (k *Keeper) readJournal(p *Policy) bool {
	k.mu.Lock()
	from := k.from
	k.mu.Unlock()
	for e, err := range k.cfg.Repo.Journal(from) {
		if err != nil {
			k.say("journal", "drift policy: the journal cannot be read; it is tried again", "err", err)
			return false
		}
		if k.stopping.Err() != nil || k.crowded() {
			return false
		}
		if !e.Remote && !k.cfg.Hidden(e.Doc) {
			if err := k.examine(p, e); err != nil && !errors.Is(err, kaijutsu.ErrNotFound) && !errors.Is(err, kaijutsu.ErrInvalid) {
				if k.stopping.Err() == nil {
					k.say("examine", "drift policy: a context cannot be looked at; it is tried again", "document", e.Doc, "err", err)
				}
				return false
			}
		}
		if !k.advance(from, e.Seq) {
			return false
		}
		from = e.Seq
	}
	return true
}

// advance notes that an entry was looked at; false: the rules began anew
// meanwhile, with another one.
func (k *Keeper) advance(from, seq uint64) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.from != from {
		return false
	}
	k.from = seq
	return true
}

func (k *Keeper) crowded() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.tasks) >= maxTasks
}

// touched is what the changes of an entry did to a block.
type touched struct {
	id  blocks.ID
	how blocks.Touch
	by  kaijutsu.Principal
}

// examine notes the blocks that the changes of an entry touched, a portion at a
// time.
func (k *Keeper) examine(p *Policy, e repo.Entry) error {
	for from := e.From; from < e.From+e.N; from += portion {
		to := min(from+portion, e.From+e.N)
		var all []touched
		err := k.cfg.Repo.View(k.stopping, e.Doc, func(v repo.View) error {
			all = all[:0]
			if !v.IsContext() {
				return nil
			}
			log := v.Log()
			for i := from; i < min(to, uint64(log.Len())); i++ {
				c, err := log.Change(int(i))
				if err != nil {
					return err
				}
				by, _ := v.Principal(c.Actors[0])
				if by == Service {
					continue // what is noted of a block is no news
				}
				for _, b := range v.Model().Examine(c).Blocks {
					all = append(all, touched{b.ID, b.How, by})
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, t := range all {
			k.touch(p, e, t)
		}
	}
	return nil
}
