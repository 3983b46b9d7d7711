package torture

import (
	"slices"
	"strings"
	"testing"
)

// TestCheckParcels plants each thing that the checker is there to find.
func TestCheckParcels(t *testing.T) {
	sent := func(change func(*parcel)) *parcel {
		p := &parcel{round: 3, text: "finding 4.1", id: "d1", by: "amy", from: "a", to: "b", acked: true}
		change(p)
		return p
	}
	came := func(change func(*letter)) letter {
		l := letter{context: "b", text: "finding 4.1", author: "amy", meta: letterMeta{Source: "a", Drift: "d1"}}
		l.meta.By.Name = "amy"
		change(&l)
		return l
	}
	asIs, good := func(*parcel) {}, came(func(*letter) {})
	for _, tt := range []struct {
		name    string
		sent    *parcel
		found   []letter
		copies  []letter
		waiting []string
		want    []string // what the problems say, in order; none: all is well
	}{
		{"delivered", sent(asIs), []letter{good}, nil, nil, nil},
		{"lost", sent(asIs), nil, nil, nil, []string{"it is not there"}},
		{"doubled", sent(asIs), []letter{good, good}, nil, nil, []string{"2 times"}},
		{"in another context too", sent(asIs), []letter{good, came(func(l *letter) { l.context = "c" })}, nil, nil, []string{"it is in context c"}},
		{"only in another context", sent(asIs), []letter{came(func(l *letter) { l.context = "c" })}, nil, nil, []string{"it is in context c", "it is not there"}},
		{"by who flushed it", sent(asIs), []letter{came(func(l *letter) { l.author = "ben" })}, nil, nil, []string{`the author is "ben", want "amy"`}},
		{"from elsewhere", sent(asIs), []letter{came(func(l *letter) { l.meta.Source = "c" })}, nil, nil, []string{"meta.source_context"}},
		{"under another id", sent(asIs), []letter{came(func(l *letter) { l.meta.Drift = "d2" })}, nil, nil, []string{"meta.drift_id"}},
		{"of nobody", sent(asIs), []letter{good, came(func(l *letter) { l.text = "finding 9.9" })}, nil, nil, []string{"which nobody sent"}},
		{"without an answer, there", sent(func(p *parcel) { p.acked = false }), []letter{good}, nil, nil, nil},
		{"without an answer, not there", sent(func(p *parcel) { p.acked = false }), nil, nil, nil, nil},
		{"without an answer, twice", sent(func(p *parcel) { p.acked = false }), []letter{good, good}, nil, nil, []string{"2 times"}},
		{"cancelled", sent(func(p *parcel) { p.cancel = takenBack }), nil, nil, nil, nil},
		{"cancelled and there", sent(func(p *parcel) { p.cancel = takenBack }), []letter{good}, nil, nil, []string{"it was cancelled, and is there"}},
		{"cancelled too late", sent(func(p *parcel) { p.cancel = foundDelivered }), nil, nil, nil, []string{"it is not there"}},
		{"cancelled without an answer", sent(func(p *parcel) { p.cancel = perhaps }), nil, nil, nil, nil},
		{"delivered and in the queue", sent(asIs), []letter{good}, nil, []string{"d1"}, []string{"in the queue there is still d1"}},
		{"dead and replayed", sent(func(p *parcel) { p.died = true }), []letter{good}, []letter{good}, nil, nil},
		{"dead, without a copy", sent(func(p *parcel) { p.died = true }), []letter{good}, nil, nil, []string{"lost+found has it 0 times"}},
		{"never dead, with a copy", sent(asIs), []letter{good}, []letter{good}, nil, []string{"lost+found has it 1 times"}},
		{"offered, in the name of who sent it", sent(func(p *parcel) { p.foreign, p.by, p.sender = true, "carrier", "zoe" }),
			[]letter{came(func(l *letter) { l.author, l.meta.By.Name = "carrier", "zoe" })}, nil, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := checkParcels(&DriftReport{}, []*parcel{tt.sent}, tt.found, tt.copies, tt.waiting)
			same := func(problem, want string) bool { return strings.Contains(problem, want) }
			if !slices.EqualFunc(got, tt.want, same) {
				t.Errorf("the checker says %q, want %q", got, tt.want)
			}
		})
	}
}

func TestWentOn(t *testing.T) {
	const log = `level=INFO msg="a flush went on after a restart" context=x delivered=3 failed=0
level=INFO msg="a flush went on after a restart" context=x delivered=0 failed=0
level=INFO msg="something else" delivered=3`
	if got := wentOn(log); got != 1 {
		t.Errorf("%d flushes went on, want the one that had something to do", got)
	}
}
