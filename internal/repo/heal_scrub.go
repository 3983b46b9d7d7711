package repo

import (
	"context"
	"errors"
	"time"

	"kaijutsu/internal/store"
)

const (
	scrubEvery = 7 * 24 * time.Hour
	// scrubRest is how long a repo runs before a scrub that is due begins: the
	// start of a server has other things to read.
	scrubRest = 10 * time.Minute
	// scrubPace is how many bytes a scrub that nobody waits for reads in a
	// second.
	scrubPace = 8 << 20
)

// Scrub reads everything in the store and compares every document with its
// hashes and heads, at most so many bytes a second, 0 for as fast as it goes. It
// returns store.ErrScrubbing when another scrub is under way. What is found is
// listed by store.Damaged, and healed where it can be.
func (r *Repo) Scrub(ctx context.Context, bytesPerSecond int64, progress func(store.ScrubProgress)) (store.ScrubReport, error) {
	report, err := r.cfg.Store.Scrub(ctx, store.ScrubOptions{Verify: r.Verify, BytesPerSecond: bytesPerSecond, Progress: progress})
	if err != nil {
		return report, err
	}
	log := r.log.Info
	if report.Damaged > 0 {
		log = r.log.Error
	}
	log("store scrubbed", "documents", report.DocumentsDone, "tables", report.TablesDone, "bytes", report.Bytes, "damaged", report.Damaged, "dur", report.Ended.Sub(report.Began))
	for _, problem := range report.Problems {
		r.log.Error("scrub found damage", "err", problem)
	}
	return report, nil
}

// StartScrub begins a scrub in the background, as fast as it goes, and returns
// at once; store.Scrubbing says how far it is. The error is store.ErrScrubbing
// when one is under way, ErrClosed when the repo is closed.
func (r *Repo) StartScrub() error {
	if r.cfg.Store.Scrubbing() != nil {
		return store.ErrScrubbing
	}
	if !r.run(func() { r.scrubNow(0) }) {
		return ErrClosed
	}
	return nil
}

func (r *Repo) scrubNow(pace int64) {
	_, err := r.Scrub(r.life, pace, nil)
	if err != nil && r.life.Err() == nil && !errors.Is(err, store.ErrScrubbing) {
		r.log.Warn("scrub broke off", "err", err)
	}
}

// scrubNowAndThen scrubs whenever that is due, slowly, until the repo is closed.
func (r *Repo) scrubNowAndThen() {
	wait := scrubRest
	for {
		last := r.cfg.Store.LastScrub().Ended
		if !last.IsZero() {
			wait = max(wait, last.Add(r.cfg.ScrubEvery).Sub(r.cfg.Now()))
		}
		timer := time.NewTimer(min(wait, r.cfg.ScrubEvery))
		select {
		case <-timer.C:
			r.scrubNow(scrubPace)
		case <-r.quit:
			timer.Stop()
			return
		}
		wait = time.Hour // until it is tried again when it broke off
	}
}
