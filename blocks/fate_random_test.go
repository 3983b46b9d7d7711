package blocks

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"kaijutsu"
)

// fateStory is three replicas of one block that are edited at random and meet.
type fateStory struct {
	t      *testing.T
	rng    *rand.Rand
	peers  []*pair
	id     ID
	unique bool // every line is the only one that says it
	fed    string
	words  int
	cited  []string // lines that are not moved or copied
}

// word returns a line.
func (s *fateStory) word() string {
	if !s.unique {
		return []string{"", "}", "x", "a b", "é😀"}[s.rng.Intn(5)]
	}
	s.words++
	return fmt.Sprintf("w%04d %s", s.words, strings.Repeat("é😀"[:2+4*s.rng.Intn(2)], s.rng.Intn(2)))
}

func newFateStory(t *testing.T, seed int64, unique bool) *fateStory {
	rng := rand.New(rand.NewSource(seed))
	s := &fateStory{t: t, rng: rng, unique: unique, fed: "\n", peers: []*pair{newPair(t, "amy."), newPair(t, "ben."), newPair(t, "cleo")}}
	if rng.Intn(4) == 0 {
		s.fed = "\r\n"
	}
	var lines []string
	for range 1 + rng.Intn(12) {
		lines = append(lines, s.word())
	}
	text := strings.Join(lines, s.fed)
	if rng.Intn(2) == 0 {
		text += s.fed
	}
	spec := BlockSpec{Content: text}
	switch rng.Intn(5) {
	case 0:
		spec.Role = RoleModel
	case 1:
		spec.Role, spec.Status = RoleModel, StatusRunning
	}
	s.id = s.peers[0].insert(spec)
	s.peers[1].pull(s.peers[0])
	s.peers[2].pull(s.peers[0])
	return s
}

// starts returns where the lines of a text begin, in code points, and its end.
func starts(text []rune) []int {
	at := []int{0}
	for i, r := range text {
		if r == '\n' && i+1 < len(text) {
			at = append(at, i+1)
		}
	}
	return append(at, len(text))
}

// edit makes one random edit by a replica; it may come to nothing.
func (s *fateStory) edit(p *pair, original string) {
	rng := s.rng
	b := p.block(s.id)
	text := []rune(b.Content)
	n := len(text)
	pos := rng.Intn(n + 1)
	end := pos + rng.Intn(n-pos+1)
	lines := starts(text)
	k := rng.Intn(len(lines) - 1)
	boundary := lines[rng.Intn(len(lines))]
	lead := "" // a line behind one that has no line feed
	if boundary == n && n > 0 && text[n-1] != '\n' {
		lead = s.fed
	}
	splice := func(pos, del int, ins string) func(*Tx) error {
		return func(tx *Tx) error { return tx.SpliceText(s.id, pos, del, ins) }
	}
	do := func(steps ...func(*Tx) error) {
		_, _ = p.say("", func(tx *Tx) error { // some are refused
			for _, step := range steps {
				_ = step(tx)
			}
			return nil
		})
	}
	p.now = p.now.Add(time.Duration(rng.Intn(6)) * time.Second)
	typed := []string{"é", "😀", "ß"}[rng.Intn(3)]
	if !s.unique {
		typed = []string{"x", "}", "é"}[rng.Intn(3)]
	}
	switch rng.Intn(18) {
	case 0, 1:
		do(splice(pos, 0, typed))
	case 2:
		do(splice(pos, min(n-pos, 1+rng.Intn(3)), ""))
	case 3: // deleted and typed again, at once or later
		do(splice(pos, end-pos, ""), splice(pos, 0, string(text[pos:end])))
	case 4:
		do(splice(pos, end-pos, ""))
		do(splice(pos, 0, string(text[pos:end])))
	case 5:
		do(splice(lines[k], lines[k+1]-lines[k], ""))
	case 6, 7:
		do(splice(boundary, 0, lead+s.word()+s.fed))
	case 8: // joins
		if i := strings.Index(string(text), "\n"); i >= 0 {
			do(splice(len([]rune(string(text)[:i])), 1, ""))
		}
	case 9: // splits
		do(splice(pos, 0, s.fed))
	case 10: // a line moves, or is doubled
		line := string(text[lines[k]:lines[k+1]])
		if bare := strings.TrimRight(line, "\r\n"); s.unique && (slices.Contains(s.cited, bare) || !wholeWord(bare)) || !strings.HasSuffix(line, "\n") {
			return
		}
		switch to := lines[rng.Intn(len(lines)-1)]; {
		case !s.unique && rng.Intn(2) == 0:
			do(splice(to, 0, line))
		case to <= lines[k]:
			do(splice(lines[k], len([]rune(line)), ""), splice(to, 0, line))
		default:
			do(splice(to, 0, line), splice(lines[k], len([]rune(line)), ""))
		}
	case 11: // all of it
		do(splice(0, n, ""), splice(0, 0, string(text)))
	case 12: // all of it, but for some lines
		var out strings.Builder
		for i := range len(lines) - 1 {
			switch line := string(text[lines[i]:lines[i+1]]); rng.Intn(5) {
			case 0:
				out.WriteString(s.word() + s.fed)
			case 1:
			default:
				out.WriteString(line)
			}
		}
		if rng.Intn(2) == 0 {
			do(splice(0, n, ""), splice(0, 0, out.String()))
		} else {
			do(func(tx *Tx) error { return tx.ReplaceText(s.id, out.String()) })
		}
	case 13, 14: // as it was
		do(func(tx *Tx) error { return tx.ReplaceText(s.id, original) })
	case 15:
		mine := func(a kaijutsu.ActorID) bool { return a == p.actor }
		if unit, err := LastUnit(graphLog{p.graph}, mine, rng.Intn(2)); err == nil {
			_ = p.undo(unit...)
		}
	case 16:
		if b.Deleted || rng.Intn(3) > 0 {
			do(func(tx *Tx) error { return tx.Restore(s.id) })
		} else {
			do(func(tx *Tx) error { return tx.Delete(s.id) })
		}
	case 17:
		if b.Form == FormBody { // as a client does that knows nothing else
			do(func(tx *Tx) error {
				d, err := tx.existing(s.id)
				if err == nil {
					tx.setString(d, fieldBody, b.Content+s.word()+s.fed)
				}
				return err
			})
			return
		}
		do(func(tx *Tx) error { return tx.AppendText(s.id, typed+s.fed) })
	}
}

// wholeWord reports whether a line is one that word made.
func wholeWord(line string) bool {
	return len(line) >= 6 && line[0] == 'w' && strings.Trim(line[1:5], "0123456789") == ""
}

// counts counts the answers by what is true.
type counts struct{ truePositive, falsePositive, falseNegative, trueNegative, open int }

func (c *counts) add(stale, want bool) {
	switch {
	case stale && want:
		c.truePositive++
	case stale:
		c.falsePositive++
	case want:
		c.falseNegative++
	default:
		c.trueNegative++
	}
}

// check requires precision and recall of 100 %.
func (c *counts) check(t *testing.T) {
	t.Helper()
	precision := float64(c.truePositive) / float64(max(1, c.truePositive+c.falsePositive))
	recall := float64(c.truePositive) / float64(max(1, c.truePositive+c.falseNegative))
	t.Logf("%+v: precision %.4f, recall %.4f", *c, precision, recall)
	if precision != 1 || recall != 1 || c.falsePositive > 0 || c.truePositive < 100 || c.trueNegative < 100 || c.open > c.truePositive/5 {
		t.Errorf("%+v: precision %.4f, recall %.4f, want 1 and 1", *c, precision, recall)
	}
}

// bareLines returns the lines of a text and what ends each.
func bareLines(text string) (lines, ends []string) {
	for text != "" {
		line, rest, fed := strings.Cut(text, "\n")
		end := ""
		if fed {
			end = "\n"
			if strings.HasSuffix(line, "\r") {
				line, end = line[:len(line)-1], "\r\n"
			}
		}
		lines, ends, text = append(lines, line), append(ends, end), rest
	}
	return lines, ends
}

// standAt reports whether lines stand in others from one on.
func standAt(lines, ends, in, inEnds []string, at int) bool {
	for i := range lines {
		if at+i >= len(in) || in[at+i] != lines[i] {
			return false
		}
		if last := i == len(lines)-1; inEnds[at+i] != ends[i] && (!last || inEnds[at+i] != "" && ends[i] != "") {
			return false
		}
	}
	return true
}

// checkTexts looks whether a fate shows what it says.
func checkTexts(t *testing.T, f Fate, then, now string, gone bool, first, last int) {
	t.Helper()
	whole := func(text string, first, last int) string {
		parts := strings.SplitAfter(text, "\n")
		return strings.Join(parts[min(first-1, len(parts)):min(last, len(parts))], "")
	}
	if f.Then != whole(then, first, last) || !gone && (f.NowFirst < 1 || f.Now != whole(now, f.NowFirst, max(f.NowLast, f.NowFirst-1))) {
		t.Fatalf("lines %d to %d of %q: %+v does not show what is in %q", first, last, then, f, now)
	}
	if f.Stale && !gone && f.Then == f.Now {
		t.Logf("lines %d to %d of %q, now %q: %+v is stale and shows no difference", first, last, then, now, f)
	}
}

// TestFateOfUniqueLines needs no notion of identity: a line that is the only
// one that says it stands, or does not. The lines in question are not moved.
func TestFateOfUniqueLines(t *testing.T) {
	var n counts
	for seed := range int64(envInt("KJ_ROUNDS", 300)) {
		s := newFateStory(t, seed, true)
		heads := s.peers[0].graph.Heads()
		then := s.peers[0].block(s.id).Content
		lines, ends := bareLines(then)
		first := 1 + s.rng.Intn(len(lines))
		last := first + s.rng.Intn(min(3, len(lines)-first+1))
		s.cited = lines[first-1 : last]
		for range 25 {
			p := s.peers[s.rng.Intn(3)]
			if s.rng.Intn(3) == 0 {
				p.pull(s.peers[s.rng.Intn(3)])
			}
			s.edit(p, then)
			b := p.block(s.id)
			in, inEnds := bareLines(b.Content)
			stands := false
			for at := range in {
				stands = stands || standAt(s.cited, ends[first-1:last], in, inEnds, at)
			}
			f, err := p.fate(s.id, heads, first, last)
			if err != nil {
				t.Fatal(err)
			}
			checkTexts(t, f, then, b.Content, b.Deleted, first, last)
			if want := b.Deleted || !stands; f.Stale != want {
				t.Errorf("seed %d: lines %d to %d of %q are %+v, want stale %v in %q", seed, first, last, then, f, want, b.Content)
			}
			n.add(f.Stale, b.Deleted || !stands)
		}
	}
	n.check(t)
}
