package audit

import "time"

const (
	// tellEvery is how often refusals are told that repeat.
	tellEvery = time.Minute
	// maxSame bounds the sorts of refusals that are told apart; beyond it they
	// count as one.
	maxSame = 4096
)

// repeat is what makes two refusals the same.
type repeat struct{ action, outcome, principal, token, door, from string }

// refusal counts one sort of refusals.
type refusal struct {
	last  Entry
	times int // since it was told
}

// freshLocked reports whether an entry is to be written now. A refusal that was
// told within the minute is counted instead.
func (l *Log) freshLocked(e Entry) bool {
	if e.Outcome != Refused {
		return true
	}
	if l.next.IsZero() {
		l.next = e.At.Add(tellEvery)
	}
	if !e.At.Before(l.next) {
		l.tellLocked(e.At)
	}
	key := repeat{e.Action, e.Outcome, e.Principal, e.Token, e.Door, e.From}
	at := l.same[key]
	if at == nil && len(l.same) >= maxSame {
		key = repeat{action: "others"}
		at = l.same[key]
	}
	if at == nil {
		l.same[key] = &refusal{last: e}
		return true
	}
	at.last = e
	at.times++
	return false
}

// tell writes how often refusals repeated, when it is time.
func (l *Log) tell() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := l.cfg.Now(); !l.next.IsZero() && !now.Before(l.next) {
		l.tellLocked(now)
	}
}

// tellLocked writes how often refusals repeated, and begins anew at a time.
func (l *Log) tellLocked(now time.Time) {
	for _, at := range l.same {
		if at.times > 0 {
			e := at.last
			e.Times = at.times
			l.putLocked(e)
		}
	}
	clear(l.same)
	l.next = time.Time{}
	if !now.IsZero() {
		l.next = now.Add(tellEvery)
	}
}
