package worktree

import (
	"strings"
	"unicode"

	"kaijutsu/internal/textdiff"
)

// telling is from how many letters and digits on a line that a text has once is
// hardly there by chance.
const telling = 12

// insertedLines are the lines, by place, that a text has and another has not.
func insertedLines(from, to string) map[int]string {
	wanted := map[int]string{}
	for _, h := range textdiff.Hunks(from, to) {
		for i, line := range h.New {
			wanted[h.NewStart+i] = line
		}
	}
	return wanted
}

// comeBack returns which of the wanted lines of a text, which the text before it
// has not, are lines of an earlier one that come back, and which; and how much
// alike the two are, 1 being the same. An equal text gives all lines. From
// another come those that stand at the same place when both are laid beside one
// another, and that have not stayed: lines in a row, among them one that stayed
// or one that says much and is there once; or the whole of what is new at a
// place, unless it is hardly anything. That they read the same is not enough.
func comeBack(from, to, earlier string, wanted map[int]string) (back map[int]int, like float64) {
	back = map[int]int{}
	if earlier == to {
		for i := range wanted {
			back[i] = i
		}
		return back, 1
	}
	then, now := splitAfter(earlier), splitAfter(to)
	of := textdiff.LineMap(earlier, to)
	stayed := stay(from, to, earlier, of)
	once := countLines(then, now)
	equal := 0
	for i := 0; i < len(of); {
		if of[i] < 0 {
			i++
			continue
		}
		end := i + 1
		for end < len(of) && of[end] == of[end-1]+1 {
			end++
		}
		equal += end - i
		takeStretch(back, stretch{i, end, of[i]}, now, wanted, stayed, once)
		i = end
	}
	return back, min(float64(2*equal)/float64(max(len(then)+len(now), 1)), 0.999)
}

// stretch is lines of a text that stand in a row in another too.
type stretch struct{ start, end, of int }

// takeStretch adds the lines of a stretch that come back.
func takeStretch(back map[int]int, r stretch, now []string, wanted map[int]string, stayed map[int]bool, once map[string]bool) {
	sure := false
	for i := r.start; i < r.end && !sure; i++ {
		n, at := letters(now[i]), r.of+i-r.start
		if _, isNew := wanted[i]; isNew {
			sure = n >= telling && once[now[i]] && !stayed[at]
		} else {
			sure = n >= 4 && stayed[at]
		}
	}
	for i := r.start; i < r.end; {
		if _, isNew := wanted[i]; !isNew {
			i++
			continue
		}
		end, much := i, false
		for ; end < r.end; end++ {
			if _, isNew := wanted[end]; !isNew {
				break
			}
			much = much || letters(now[end]) >= 4
		}
		_, before := wanted[i-1]
		_, after := wanted[end]
		whole := !before && !after && much
		for ; i < end; i++ {
			if at := r.of + i - r.start; (sure || whole) && !stayed[at] {
				back[i] = at
			}
		}
	}
}

// stay returns the lines of an earlier text that are in the one before and in the
// one now, where no other line of it stands (of): they are there and cannot come
// back.
func stay(from, to, earlier string, of []int) map[int]bool {
	out := map[int]bool{}
	then := textdiff.LineMap(earlier, from)
	for i, at := range textdiff.LineMap(from, to) {
		if at >= 0 && at < len(then) && then[at] >= 0 && (of[i] < 0 || of[i] == then[at]) {
			out[then[at]] = true
		}
	}
	return out
}

// countLines returns the lines that both texts have just once.
func countLines(a, b []string) map[string]bool {
	n := map[string]int{}
	for _, line := range a {
		n[line]++
	}
	out := map[string]bool{}
	seen := map[string]int{}
	for _, line := range b {
		seen[line]++
	}
	for line, k := range n {
		if k == 1 && seen[line] == 1 {
			out[line] = true
		}
	}
	return out
}

// letters counts letters and digits.
func letters(line string) (n int) {
	for _, r := range line {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// splitAfter returns a text's lines with their line feeds.
func splitAfter(text string) (lines []string) {
	for line := range strings.Lines(text) {
		lines = append(lines, line)
	}
	return lines
}
