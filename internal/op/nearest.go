package op

import "strings"

// Nearest returns the word that another was probably meant to be, "" if none
// is near: at most two letters off, and fewer than half of the letters.
func Nearest(word string, known []string) string {
	best, least := "", 3
	for _, k := range known {
		if strings.EqualFold(k, word) {
			return k
		}
		if d := distance(strings.ToLower(word), strings.ToLower(k)); d < least && 2*d < len([]rune(k)) {
			best, least = k, d
		}
	}
	return best
}

// distance is the Levenshtein distance of two short words, in code points;
// words of more than 100 are far apart.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > 100 || len(y) > 100 {
		return max(len(x), len(y))
	}
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			cost := diagonal
			if x[i] != y[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(y)]
}
