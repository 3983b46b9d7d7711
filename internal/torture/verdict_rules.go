package torture

import (
	"maps"
	"slices"
	"strings"
)

// decideKept goes through what nodes exported: what a node had acknowledged
// before it was asked has to be in it, and at the end of every node all.
func (b *book) decideKept(v *Verdict) {
	for _, e := range b.entries {
		if e.Says != saysHas {
			continue
		}
		at := place{e.Node, e.Doc}
		has := b.kept[at]
		if has == nil {
			has = make(map[string]bool)
			b.kept[at] = has
		}
		for _, h := range e.Gone {
			delete(has, h)
		}
		for _, h := range e.Add {
			has[h] = true
		}
		if e.Final {
			b.final[at] = maps.Clone(has)
		} else {
			b.decideSaved(v, e, has)
		}
	}
	for at, has := range b.final {
		b.decideLost(v, at, has)
	}
	b.decideEqual(v)
}

// decideSaved holds an export while the run goes on against what the node had
// acknowledged until it was asked.
func (b *book) decideSaved(v *Verdict, e Entry, has map[string]bool) {
	asked, check := e.At-e.Ms/1000, checkLost
	if b.wasDown(e.Node, asked) {
		check = checkSaved
	}
	n, example := 0, edit{}
	for _, a := range b.acked {
		if a.doc == e.Doc && a.hash != "" && a.at < asked && b.writers[a.who].node == e.Node && b.writers[a.who].honest() && !has[a.hash] {
			n, example = n+1, a
		}
	}
	if n > 0 {
		v.found(check, "at %.1f s node %s lacks %d changes of context %s that it had acknowledged, such as %s of %s, acknowledged at %.3f s", e.At, e.Node, n, e.Doc, example.hash, example.who, example.at)
	}
}

// wasDown reports whether a node had been down before some time.
func (b *book) wasDown(node string, at float64) bool {
	downs := b.downs[node]
	return len(downs) > 0 && downs[0] < at
}

// decideLost holds what a node has at the end against all that was acknowledged.
func (b *book) decideLost(v *Verdict, at place, has map[string]bool) {
	n, example := 0, edit{}
	for _, a := range b.acked {
		if a.doc == at.doc && a.hash != "" && b.writers[a.who].honest() && !has[a.hash] {
			n, example = n+1, a
		}
	}
	if n > 0 {
		v.found(checkLost, "context %s: node %s lacks %d acknowledged changes at the end, such as %s of %s, acknowledged at %.3f s", at.doc, at.node, n, example.hash, example.who, example.at)
	}
}

// decideEqual holds what nodes have at the end against each other.
func (b *book) decideEqual(v *Verdict) {
	first := make(map[string]place)
	for _, at := range slices.SortedFunc(maps.Keys(b.final), func(a, b place) int { return strings.Compare(a.doc+a.node, b.doc+b.node) }) {
		with, known := first[at.doc]
		if !known {
			first[at.doc] = at
			continue
		}
		if !maps.Equal(b.final[at], b.final[with]) {
			v.found(checkSame, "context %s: at the end node %s has %d changes and node %s %d, or others", at.doc, with.node, len(b.final[with]), at.node, len(b.final[at]))
		}
	}
}

// decideShown holds what nodes listed against what their changes add up to, and
// against each other at equal heads.
func (b *book) decideShown(v *Verdict) {
	type state struct{ doc, heads string }
	seen := make(map[state]Entry)
	for _, e := range b.entries {
		if e.Says != saysShows {
			continue
		}
		if e.Want != "" && e.Digest != e.Want {
			v.found(checkSame, "at %.1f s node %s lists context %s as %s; its changes up to the same heads add up to %s%s", e.At, e.Node, e.Doc, e.Digest, e.Want, because(e.What))
			continue
		}
		at := state{e.Doc, e.Heads}
		if other, ok := seen[at]; ok && other.Digest != e.Digest {
			v.found(checkSame, "context %s at heads %s: node %s shows %s, node %s %s", e.Doc, e.Heads, other.Node, other.Digest, e.Node, e.Digest)
			continue
		}
		seen[at] = e
	}
}

func because(what string) string {
	if what == "" {
		return ""
	}
	return ": " + what
}

// decideTexts looks for every mark in the texts of the end, once, and written by
// whom it was written.
func (b *book) decideTexts(v *Verdict) {
	docs := make(map[string]map[string]bool) // by document: marks of acknowledged edits
	for _, a := range b.acked {
		if a.mark == "" || !b.writers[a.who].honest() {
			continue
		}
		if docs[a.doc] == nil {
			docs[a.doc] = make(map[string]bool)
		}
		docs[a.doc][a.mark] = true
	}
	for at, entries := range b.texts {
		found := make(map[string]int)
		for _, e := range entries {
			b.decideText(v, at, e, found)
		}
		lost, doubled, example := 0, 0, ""
		for mark := range docs[at.doc] {
			if found[mark] == 0 {
				lost, example = lost+1, mark
			}
		}
		for mark, n := range found {
			if n > 1 {
				doubled, example = doubled+1, mark
			}
		}
		if lost > 0 {
			v.found(checkLost, "context %s: in the texts of node %s %d acknowledged marks are missing, such as %s", at.doc, at.node, lost, example)
		}
		if doubled > 0 {
			v.found(checkDoubled, "context %s: in the texts of node %s %d marks stand twice, such as %s", at.doc, at.node, doubled, example)
		}
	}
}

// decideText counts the marks of one text and holds each against who is blamed
// for it.
func (b *book) decideText(v *Verdict, at place, e Entry, found map[string]int) {
	var whole strings.Builder
	single := make(map[string]byWhom)
	for _, run := range e.Runs {
		whole.WriteString(run.Text)
		marksIn(run.Text, func(mark string) { single[mark] = run })
	}
	wrong, example := 0, ""
	marksIn(whole.String(), func(mark string) {
		found[mark]++
		w, known := b.writers[b.tried[mark]]
		if !known {
			return // it stood there before
		}
		if !w.honest() {
			v.found(checkDenied, "context %s: %s of %s, who is %s, stands in the text of node %s", at.doc, mark, w.who, w.role, at.node)
			return
		}
		if run, ok := single[mark]; !ok || run.By != w.name || run.Via != "" {
			wrong++
			example = mark + " of " + w.name + " on " + run.By
			if run.Via != "" {
				example += " via " + run.Via
			}
		}
	})
	if wrong > 0 {
		v.found(checkBy, "context %s: node %s books %d marks on somebody else, such as %s", at.doc, at.node, wrong, example)
	}
}

// decideRights looks for edits of those who may not make them, and for what
// revoked tokens were still good for.
func (b *book) decideRights(v *Verdict) {
	for at, has := range b.final {
		for h := range has {
			if w, known := b.writers[b.tried[h]]; known && !w.honest() {
				v.found(checkDenied, "context %s: node %s has change %s of %s, who is %s", at.doc, at.node, h, w.who, w.role)
			}
		}
	}
	for _, e := range b.entries {
		if e.Says == saysRevoked {
			b.decideRevoked(v, e)
		}
	}
}

// decideRevoked looks at what a principal could do after its token was revoked.
// At another node than the one that was told, a fault is an excuse.
func (b *book) decideRevoked(v *Verdict, revoked Entry) {
	excused := func(w writer) bool {
		return w.node != revoked.Node && overlaps(b.faults, revoked.At-1, revoked.At+1)
	}
	late := func(at float64) bool { return at > revoked.At+revokedWithin }
	for _, a := range b.acked {
		w := b.writers[a.who]
		sent, known := b.sent[a.hash]
		if !known {
			sent = b.sent[a.mark]
		}
		if w.name == revoked.Name && late(sent) && !excused(w) {
			v.found(checkRevoked, "%s sent an edit %.0f ms after the token of %s was revoked, and it was acknowledged", w.who, 1000*(sent-revoked.At), w.name)
		}
	}
	for _, e := range b.entries {
		w := b.writers[e.Who]
		if w.name != revoked.Name || e.At < b.asked[revoked.Name] {
			continue
		}
		switch {
		case e.Says == saysCut && w.node == revoked.Node:
			b.cuts = append(b.cuts, max(0, e.At-revoked.At)) // it may come before the answer
			fallthrough
		case e.Says == saysCut:
			if e.At > revoked.At+cutWithin && !excused(w) && !overlaps(b.stalls, revoked.At, e.At) {
				v.found(checkRevoked, "a connection of %s stood for %.0f ms after the token was revoked", w.who, 1000*(e.At-revoked.At))
			}
		case e.Says == saysServed && late(e.At-e.Ms/1000) && !excused(w):
			v.found(checkRevoked, "%s asked %.0f ms after the token was revoked, and got %s", w.who, 1000*(e.At-revoked.At)-e.Ms, e.What)
		}
	}
}

// decideWaits looks at how long honest writers waited when nothing was broken.
func (b *book) decideWaits(v *Verdict) {
	for _, a := range b.acked {
		w, from := b.writers[a.who], a.at-a.ms/1000
		if a.ms == 0 || w.door != doorSync || overlaps(b.faults, from, a.at) {
			continue
		}
		if overlaps(b.attacks, from, a.at) {
			b.attacked = append(b.attacked, a.ms)
		} else {
			b.peace = append(b.peace, a.ms)
		}
		if a.ms > float64(honestWait.Milliseconds()) {
			v.found(checkLatency, "%s waited %.0f ms until %.1f s for an acknowledgement", a.who, a.ms, a.at)
		}
	}
	for _, e := range b.entries {
		if e.Says != saysLate || !b.writers[e.Who].honest() || overlaps(b.stalls, e.At-e.Ms/1000, e.At) {
			continue
		}
		check := checkLatency
		if e.What == shuffled {
			check = checkOrder
		}
		v.found(check, "at %.1f s %s had waited %.0f ms for the acknowledgement of %s over a connection that stands", e.At, e.Who, e.Ms, e.Hash+e.Mark)
	}
}
