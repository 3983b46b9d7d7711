package torture

import (
	"math/rand/v2"
	"slices"
	"time"
)

// strike is one thing that is done to the servers, and when.
type strike struct {
	n    int
	at   time.Duration // from the beginning of the load
	what string
	node int
	seed uint64 // of its own choices
}

// strikeKind is a sort of strike and how often it comes, next to the others.
type strikeKind struct {
	what   string
	weight int
	lasts  time.Duration // about
	attack bool          // something hostile from outside: honest people must not notice
	alone  bool          // only where there is one node
	many   bool          // only where there are several
	disk   bool          // it needs a disk that can be broken
}

// sorts are all there are.
var sorts = []strikeKind{
	{what: "kill", weight: 10, lasts: 1500 * time.Millisecond},
	{what: "kill-all", weight: 2, lasts: 2 * time.Second, many: true},
	{what: "stop", weight: 3, lasts: 2500 * time.Millisecond},
	{what: "clock", weight: 2, lasts: 1500 * time.Millisecond},
	{what: "power", weight: 8, lasts: 2 * time.Second, disk: true},
	{what: "disk-full", weight: 3, lasts: 3 * time.Second, disk: true},
	{what: "disk-error", weight: 3, lasts: 3 * time.Second, disk: true},
	{what: "slow-disk", weight: 2, lasts: 3 * time.Second, disk: true},
	{what: "partition", weight: 4, lasts: 4 * time.Second, many: true},
	{what: "kill-nats", weight: 2, lasts: 3 * time.Second, many: true},
	{what: "stop-nats", weight: 2, lasts: 3 * time.Second, many: true},

	{what: "garbage", weight: 3, lasts: 2 * time.Second, attack: true},
	{what: "handshakes", weight: 3, lasts: 2 * time.Second, attack: true},
	{what: "malformed", weight: 4, lasts: 2 * time.Second, attack: true},
	{what: "oversized", weight: 3, lasts: 2 * time.Second, attack: true},
	{what: "bombs", weight: 4, lasts: 2 * time.Second, attack: true},
	{what: "poison", weight: 4, lasts: 2 * time.Second, attack: true},
	{what: "slow-readers", weight: 3, lasts: 4 * time.Second, attack: true},
	{what: "half-open", weight: 3, lasts: 3 * time.Second, attack: true},
	{what: "ephemeral", weight: 2, lasts: 2 * time.Second, attack: true},
	{what: "bad-calls", weight: 3, lasts: 2 * time.Second, attack: true},
	{what: "revoke", weight: 8, lasts: 3 * time.Second, attack: true},
	{what: "backup", weight: 2, lasts: 2 * time.Second, attack: true, alone: true},
}

// Strikes are the names of all sorts of strikes of a mixed run.
func Strikes() []string {
	var names []string
	for _, s := range sorts {
		names = append(names, s.what)
	}
	return names
}

// isAttack reports whether a strike of this name is one that honest people must
// not notice.
func isAttack(what string) bool {
	i := slices.IndexFunc(sorts, func(s strikeKind) bool { return s.what == what })
	return i >= 0 && sorts[i].attack
}

// stalls reports whether a strike of this name may leave a connection standing
// over which nothing comes. The others end it, or must not be noticed at all.
func stalls(what string) bool {
	return what == "stop" || what == "slow-disk" || what == "disk-full" || what == "disk-error"
}

// lanes are what goes on at the same time: one fault after the other, and one
// attack after the other.
const lanes = 2

// pauses between the strikes of a lane.
const (
	leastPause = 600 * time.Millisecond
	mostPause  = 2500 * time.Millisecond
)

// plan makes the schedule of a run. The same seed gives the same one. can says
// which sorts are possible; with only not empty there are no others than these.
func plan(seed uint64, span time.Duration, nodes int, only []string, can func(strikeKind) bool) []strike {
	random := rand.New(rand.NewPCG(seed, 1))
	var all []strike
	for lane := range lanes {
		var of []strikeKind
		total := 0
		for _, s := range sorts {
			fits := s.attack == (lane == 1) && !(s.many && nodes == 1) && !(s.alone && nodes > 1) && can(s)
			if len(only) > 0 && !slices.Contains(only, s.what) {
				fits = false
			}
			if fits {
				of, total = append(of, s), total+s.weight
			}
		}
		if total == 0 {
			continue
		}
		for at := leastPause; at < span; {
			s := chosen(of, random.IntN(total))
			all = append(all, strike{at: at, what: s.what, node: random.IntN(nodes), seed: random.Uint64()})
			at += s.lasts + leastPause + time.Duration(random.Int64N(int64(mostPause-leastPause)))
		}
	}
	slices.SortStableFunc(all, func(a, b strike) int { return int(a.at - b.at) })
	for i := range all {
		all[i].n = i + 1
	}
	return all
}

// chosen returns the sort at a place on the line of weights.
func chosen(of []strikeKind, at int) strikeKind {
	for _, s := range of {
		if at -= s.weight; at < 0 {
			return s
		}
	}
	return of[len(of)-1]
}
