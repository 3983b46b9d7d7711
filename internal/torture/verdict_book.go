package torture

import "strings"

// book is a history, put in order for the checks.
type book struct {
	writers map[string]writer         // by who
	acked   []edit                    // acknowledged edits, in order
	tried   map[string]string         // mark or hash to who
	sent    map[string]float64        // mark or hash to when
	marks   map[string]bool           // by mark; true: acknowledged
	faults  []span                    // in which honest writers may wait
	stalls  []span                    // those of them in which a connection may stand and nothing comes
	attacks []span                    // in which honest writers may not wait
	entries []Entry                   // that the checks go through themselves
	kept    map[place]map[string]bool // by node and document: what it exported last
	final   map[place]map[string]bool // likewise at the end
	texts   map[place][]Entry         // of the end
	downs   map[string][]float64      // by node
	asked   map[string]float64        // by principal: when its token was about to be revoked

	peace, attacked []float64 // how long honest editors waited, in ms
	cuts            []float64 // how long connections of revoked tokens stood, in s
}

type writer struct{ who, name, role, node, door string }

// honest reports whether what it writes has to be there at the end.
func (w writer) honest() bool { return w.role == "editor" || w.role == "owner" || w.role == "" }

// edit is one that was acknowledged.
type edit struct {
	who, doc, hash, mark string
	at, ms               float64
}

type place struct{ node, doc string }

// span is a stretch of time in which a strike was on.
type span struct {
	what     string
	node     string
	from, to float64
}

// overlaps reports whether any of the spans touches a stretch of time.
func overlaps(spans []span, from, to float64) bool {
	for _, s := range spans {
		if s.from <= to && from <= s.to {
			return true
		}
	}
	return false
}

// after is how long after a fault things may still be slow: nodes start, find
// each other and catch up.
const after = 4.0

func readBook(all []Entry) *book {
	b := &book{
		writers: make(map[string]writer), tried: make(map[string]string), sent: make(map[string]float64), marks: make(map[string]bool),
		kept: make(map[place]map[string]bool), final: make(map[place]map[string]bool), texts: make(map[place][]Entry),
		downs: make(map[string][]float64), asked: make(map[string]float64), entries: all,
	}
	open := make(map[int]Entry) // strikes that are on, by number
	for _, e := range all {
		switch e.Says {
		case saysWho:
			b.writers[e.Who] = writer{e.Who, e.Name, e.Role, e.Node, e.What}
		case saysTry:
			b.try(e)
		case saysAck:
			b.try(e)
			if e.Mark != "" {
				b.marks[e.Mark] = true
			}
			b.acked = append(b.acked, edit{e.Who, e.Doc, e.Hash, e.Mark, e.At, e.Ms})
		case saysStrike:
			open[e.N] = e
		case saysOver:
			b.close(open[e.N], e.At)
			delete(open, e.N)
		case saysRevoke:
			b.asked[e.Name] = e.At
		case saysDown:
			b.downs[e.Node] = append(b.downs[e.Node], e.At)
		case saysText:
			at := place{e.Node, e.Doc}
			b.texts[at] = append(b.texts[at], e)
		}
	}
	for _, e := range open { // the run was broken off
		b.close(e, all[len(all)-1].At)
	}
	return b
}

// try notes an edit that was sent, once.
func (b *book) try(e Entry) {
	for _, key := range []string{e.Hash, e.Mark} {
		if key == "" || b.tried[key] != "" {
			continue
		}
		b.tried[key], b.sent[key] = e.Who, e.At
	}
	if e.Mark != "" {
		b.marks[e.Mark] = b.marks[e.Mark] || false
	}
}

func (b *book) close(e Entry, at float64) {
	s := span{e.What, e.Node, e.At, at}
	if isAttack(e.What) {
		b.attacks = append(b.attacks, s)
		return
	}
	s.to += after
	b.faults = append(b.faults, s)
	if stalls(s.what) {
		b.stalls = append(b.stalls, s)
	}
}

// marksIn calls f with each mark that stands in a text.
func marksIn(text string, f func(mark string)) {
	for rest := text; ; {
		_, behind, ok := strings.Cut(rest, "⟦")
		if !ok {
			return
		}
		name, after, ok := strings.Cut(behind, "⟧")
		if !ok {
			return
		}
		f("⟦" + name + "⟧")
		rest = after
	}
}
