package torture

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"syscall"

	"kaijutsu/internal/faultfs"
)

// moment is when, of a request, the server is killed.
type moment string

const (
	beforeIt moment = "before"
	withinIt moment = "within" // of a write: when a part of it is done
	afterIt  moment = "after"
)

// site is what is asked of the disk: a sort of request of a sort of file.
type site struct {
	kind faultfs.Kind
	file string // path with N for each number
}

// spot is a site and a moment.
type spot struct {
	site
	when moment
}

func (p spot) String() string { return string(p.when) + " " + p.kind.String() + " of " + p.file }

// sortOf returns a path with N in site of each number.
func sortOf(path string) string {
	var b strings.Builder
	for i := range len(path) {
		digit := path[i] >= '0' && path[i] <= '9'
		switch {
		case !digit:
			b.WriteByte(path[i])
		case i == 0 || path[i-1] < '0' || path[i-1] > '9':
			b.WriteByte('N')
		}
	}
	return b.String()
}

// atlas knows which places there are and how often each was struck. It is safe
// for concurrent use.
type atlas struct {
	mu    sync.Mutex
	least int          // in how many lives a site was seen that is struck
	now   map[site]int // requests in this life
	most  map[site]int // in any life
	lives map[site]int // in which there were any
	tried map[spot]int
	hits  map[spot]int
	armed *spot // nil: nothing is to be struck, or it was
	nth   int
}

func newAtlas(least int) *atlas {
	return &atlas{
		least: least, now: make(map[site]int), most: make(map[site]int), lives: make(map[site]int),
		tried: make(map[spot]int), hits: make(map[spot]int),
	}
}

// begin is called when a life begins.
func (a *atlas) begin() {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.now)
	a.armed = nil
}

// arm chooses where to strike in this life: where it was tried least, or, under
// load, at one that has to do with the log of the store.
func (a *atlas) arm(r *rand.Rand, load bool) (spot, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var spots []spot
	for p, lives := range a.lives {
		if lives < a.least || load && !(strings.HasSuffix(p.file, ".mem") && (p.kind == faultfs.Write || p.kind == faultfs.Fsync)) {
			continue
		}
		spots = append(spots, spot{p, beforeIt}, spot{p, afterIt})
		if p.kind == faultfs.Write {
			spots = append(spots, spot{p, withinIt})
		}
	}
	if len(spots) == 0 {
		return spot{}, false
	}
	slices.SortFunc(spots, func(x, y spot) int {
		if d := a.tried[x] - a.tried[y]; d != 0 {
			return d
		}
		return strings.Compare(x.String(), y.String())
	})
	chosen := spots[0]
	if load {
		chosen = spots[r.IntN(len(spots))]
	}
	a.tried[chosen]++
	a.armed, a.nth = &chosen, 1+r.IntN(a.most[chosen.site])
	if load { // what there was until now does not count
		a.nth += a.now[chosen.site]
	}
	return chosen, true
}

// saw counts a request and says whether to strike it; unless it can be, it is
// left to another life.
func (a *atlas) saw(op faultfs.Op, can bool) (spot, bool) {
	if !op.Kind.Changes() {
		return spot{}, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	p := site{op.Kind, sortOf(op.Path)}
	if a.now[p]++; a.now[p] == 1 {
		a.lives[p]++
	}
	a.most[p] = max(a.most[p], a.now[p])
	if a.armed == nil || !can || a.armed.site != p || a.now[p] < a.nth {
		return spot{}, false
	}
	struck := *a.armed
	a.armed = nil
	a.hits[struck]++
	return struck, true
}

// report writes what was struck, and what never was.
func (a *atlas) report(d *DiskReport) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for p := range a.most {
		all := []spot{{p, beforeIt}, {p, afterIt}}
		if p.kind == faultfs.Write {
			all = append(all, spot{p, withinIt})
		}
		for _, at := range all {
			if n := a.hits[at]; n > 0 {
				d.Points[at.String()] = n
			} else {
				d.Never = append(d.Never, at.String())
			}
		}
	}
	slices.Sort(d.Never)
}

// consider counts a request, and strikes when it is the one.
func (l *life) consider(a *atlas, op faultfs.Op) faultfs.Verdict {
	// What the kernel writes by itself names nobody to kill before the server is
	// known, and must not fail for a server that lives.
	can := op.PID > 1 || l.n.process() != nil
	if at, ok := a.saw(op, can); ok {
		return l.strike(at, op)
	}
	if l.d.lies && (op.Kind == faultfs.Fsync || op.Kind == faultfs.FsyncDir) {
		return faultfs.Verdict{Lie: true}
	}
	return faultfs.Verdict{}
}

// strike is the verdict that kills the server at a spot.
func (l *life) strike(at spot, op faultfs.Op) faultfs.Verdict {
	kill := func() { l.kill(op.PID) }
	switch at.when {
	case beforeIt:
		return faultfs.Verdict{Before: kill, Errno: syscall.EIO}
	case withinIt:
		return faultfs.Verdict{Before: kill, Errno: syscall.EIO, Cut: op.Len / 2}
	default:
		return faultfs.Verdict{After: kill}
	}
}
