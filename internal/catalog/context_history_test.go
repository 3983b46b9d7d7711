package catalog_test

import (
	"encoding/base64"
	"fmt"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/catalog"
	"kaijutsu/internal/op"
)

// dated is a history whose changes are at these seconds, imported as a context.
// Each change is "who second", and inserts a block.
func (h *house) dated(changes ...string) string {
	h.t.Helper()
	file := []*amfile.Change{blocks.Genesis()}
	m := blocks.NewModel()
	m.Apply(file[0])
	for i, line := range changes {
		var who string
		var at int64
		if _, err := fmt.Sscan(line, &who, &at); err != nil {
			h.t.Fatal(err)
		}
		opt := blocks.CommitOptions{Actor: kaijutsu.ActorID(who), Time: time.Unix(1_700_000_000+at, 0), Deps: kaijutsu.NewHeads(file[i].Hash)}
		c, err := m.Commit(opt, func(tx *blocks.Tx) error {
			return tx.InsertBlock(blocks.BlockSpec{ID: blocks.NewID(time.Now()), Content: line})
		})
		if err != nil {
			h.t.Fatal(err)
		}
		m.Apply(c)
		file = append(file, c)
	}
	chunk, err := amfile.EncodeDocument(file)
	if err != nil {
		h.t.Fatal(err)
	}
	return h.call(owner(), "context_import", quote(`{"format": "automerge", "content_base64": %}`, base64.StdEncoding.EncodeToString(chunk))).str("id")
}

// pointsOf lists points as "changes x blocks".
func pointsOf(answer object) (all []string) {
	for _, p := range answer.list("points") {
		all = append(all, fmt.Sprintf("%s %d/%d", p.str("author")[:4], p.num("changes"), p.num("touched")))
	}
	return all
}

func TestPointsOfAHistory(t *testing.T) {
	h := start(t)
	a, b := "616d792e", "62656e2e" // the actors amy. and ben., as hexadecimal digits
	c := h.dated("amy. 0", "amy. 30", "ben. 40", "amy. 50", "amy. 500", "amy. 510", "ben. 9000", "amy. 8990")
	for _, tt := range []struct{ name, in, want string }{
		{"by author and pause", `"until": "9"`, "[616d 2/2 6265 1/1 616d 1/1 616d 2/2 6265 1/1 616d 1/1]"},
		{"each by itself", `"gap": 0, "until": "6"`, "[616d 1/1 616d 1/1 6265 1/1 616d 1/1 616d 1/1]"},
		{"all together", `"mixed": true, "until": "9"`, "[616d 4/4 616d 2/2 6265 2/2]"},
		{"a long gap", `"gap": 600, "mixed": true, "until": "9"`, "[616d 6/6 6265 2/2]"},
		{"since a version", `"since": "5", "until": "9"`, "[616d 2/2 6265 1/1 616d 1/1]"},
		{"until a time", `"until": "2023-11-14T22:14:00Z"`, "[616d 2/2 6265 1/1]"},
		{"of one author", `"author": "` + b + `2e"`, "[]"},
		{"of the other", `"author": "` + b + `", "until": "9"`, "[6265 1/1 6265 1/1]"},
		{"of one in what is mixed", `"author": "` + b + `", "mixed": true, "until": "9"`, "[616d 4/4 6265 2/2]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := h.call(owner(), "context_history", quote(`{"context": %, `+tt.in+`}`, c))
			if fmt.Sprint(pointsOf(got)) != tt.want {
				t.Errorf("the points are %v, want %s", pointsOf(got), tt.want)
			}
		})
	}
	all := h.call(owner(), "context_history", quote(`{"context": %, "until": "9"}`, c))
	if got := all.list("authors"); len(got) != 2 || got[0].str("author") != a || got[0].num("changes") != 6 || got[1].num("changes") != 2 {
		t.Errorf("the authors are %v, want amy. with 6 and ben. with 2", got)
	}
	var paged []string
	for cursor := ""; ; {
		got := h.call(owner(), "context_history", quote(`{"context": %, "until": "9", "limit": 2, "cursor": %}`, c, cursor))
		paged = append(pointsOf(got), paged...)
		if cursor, _ = got["next"].(string); cursor == "" {
			break
		}
	}
	if fmt.Sprint(paged) != fmt.Sprint(pointsOf(all)) {
		t.Errorf("page by page the points are %v, want %v", paged, pointsOf(all))
	}
}

func TestAPointNamesAState(t *testing.T) {
	h := start(t)
	c := h.context("States")
	h.block(c, "one", "")
	x, y := h.replica(c, amy), h.replica(c, bob)
	insert := func(r *replica, text string) {
		r.edit(func(tx *blocks.Tx) error {
			return tx.InsertBlock(blocks.BlockSpec{ID: blocks.NewID(time.Now()), Content: text})
		})
	}
	insert(x, "by amy")
	insert(y, "by bob")
	x.push()
	y.push()
	h.block(c, "together", "")
	got := h.call(owner(), "context_history", quote(`{"context": %, "gap": 0}`, c))
	points := got.list("points")
	for i, p := range points {
		then := h.call(owner(), "context_at", quote(fmt.Sprintf(`{"context": %%, "version": %d}`, p.num("version")), c))
		if fmt.Sprint(then["heads"]) != fmt.Sprint(p["heads"]) {
			t.Errorf("point %d has the heads %v, its version %v", i, p["heads"], then["heads"])
		}
	}
	last := points[len(points)-1]
	if last["merge"] != true || len(points[len(points)-2]["heads"].([]any)) != 2 {
		t.Errorf("the last points are %v, want two heads that come together", points[len(points)-2:])
	}
	forks := 0
	for _, p := range points {
		if p["fork"] == true {
			forks++
		}
	}
	if forks != 1 {
		t.Errorf("%d points are forks, want the one that amy and bob both worked on", forks)
	}
	seen := fmt.Sprint(points[len(points)-3]["heads"].([]any)[0]) // amy's change is there, bob's is not
	later := h.call(owner(), "context_history", quote(`{"context": %, "since": %}`, c, seen))
	if later.num("changes") != 2 {
		t.Errorf("since %s there are %d changes, want bob's and the last", seen, later.num("changes"))
	}
	h.block(c, "more", "")
	if again := h.call(owner(), "context_history", quote(`{"context": %, "since": %}`, c, seen)); again.num("changes") != 3 {
		t.Errorf("after one more there are %d changes, want 3", again.num("changes"))
	}
	stranger := op.Call{By: kaijutsu.Principal{Name: "eve", Kind: kaijutsu.Agent}}
	h.refuse(stranger, "context_history", quote(`{"context": %}`, c), kaijutsu.ErrNotFound)
	h.refuse(owner(), "context_history", quote(`{"context": %, "since": "abc"}`, c), kaijutsu.ErrInvalid, "64 hexadecimal digits")
	h.refuse(owner(), "context_history", quote(`{"context": %, "cursor": "abc"}`, c), kaijutsu.ErrInvalid, "cursor")
}

// BenchmarkContextHistory is the history of 260,000 keystrokes of five people:
// looked at for the first time, and when little is new.
func BenchmarkContextHistory(b *testing.B) {
	h := start(b)
	c := h.typed(260_000)
	in := quote(`{"context": %, "limit": 1000}`, c)
	for _, door := range []string{"first", "again"} {
		b.Run(door, func(b *testing.B) {
			if door == "again" {
				h.bench(b, "context_history", in)
				return
			}
			b.StopTimer()
			for range b.N {
				h.set = catalog.New(catalog.Parts{Kernel: h.kernel}) // nothing is known of any history
				b.StartTimer()
				h.call(owner(), "context_history", in)
				b.StopTimer()
			}
		})
	}
}

// typed is a context with a text that five people typed, a change for each key.
func (h *house) typed(keys int) string {
	h.t.Helper()
	file := []*amfile.Change{blocks.Genesis()}
	m := blocks.NewModel()
	m.Apply(file[0])
	id := blocks.NewID(time.Now())
	for i := range keys {
		opt := blocks.CommitOptions{
			Actor: kaijutsu.ActorID(fmt.Sprintf("writer%d", i/40%5)), Time: time.Unix(1_700_000_000+int64(i), 0), Deps: kaijutsu.NewHeads(file[i].Hash),
		}
		c, err := m.Commit(opt, func(tx *blocks.Tx) error {
			if i == 0 {
				return tx.InsertBlock(blocks.BlockSpec{ID: id, Content: "x"})
			}
			return tx.SpliceText(id, i%min(i, 1000), 0, "y")
		})
		if err != nil {
			h.t.Fatal(err)
		}
		m.Apply(c)
		file = append(file, c)
	}
	chunk, err := amfile.EncodeDocument(file)
	if err != nil {
		h.t.Fatal(err)
	}
	return h.call(owner(), "context_import", quote(`{"format": "automerge", "content_base64": %}`, base64.StdEncoding.EncodeToString(chunk))).str("id")
}
