package drift

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxFound bounds the handles of one text.
const maxFound = 1000

// Found is a handle inside a text: text[Start:End] is what stands for it, with
// its brackets if it has them.
type Found struct {
	Start, End int // bytes
	Handle     Handle
}

const uuidPattern = `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`

var (
	// bareHandle is a handle whose context is a UUID.
	bareHandle = regexp.MustCompile(`(?:[a-z0-9-]{1,32}:)?` + uuidPattern + `/` + uuidPattern +
		`(?:@[0-9a-fA-F]{8,64}(?:,[0-9a-fA-F]{8,64})*)?(?:#[Ll]?[0-9]{1,10}(?:-[Ll]?[0-9]{1,10})?)?`)
	bracketed = regexp.MustCompile(`\[\[([^\[\]\r\n]+)\]\]`)
)

// FindHandles returns the handles in a text, as they come: [[handle]] with any
// address of a context but one with brackets, and bare ones whose context is a
// UUID. It finds the first thousand.
func FindHandles(text string) []Found {
	var found []Found
	for _, at := range bracketed.FindAllStringSubmatchIndex(text, maxFound) {
		if h, err := ParseHandle(text[at[2]:at[3]]); err == nil {
			found = append(found, Found{at[0], at[1], h})
		}
	}
	inBrackets := len(found)
	for _, at := range bareHandle.FindAllStringIndex(text, 2*maxFound) {
		if !standsAlone(text, at[0], at[1]) || covered(found[:inBrackets], at[0]) {
			continue
		}
		if h, err := ParseHandle(text[at[0]:at[1]]); err == nil {
			found = append(found, Found{at[0], at[1], h})
		}
	}
	slices.SortFunc(found, func(a, b Found) int { return cmp.Compare(a.Start, b.Start) })
	return found[:min(len(found), maxFound)]
}

// standsAlone reports whether text[start:end] is not a piece of a longer word.
func standsAlone(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, _ := utf8.DecodeRuneInString(text[end:])
	wordy := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-/:@#", r)
	}
	return (start == 0 || !wordy(before)) && (end == len(text) || !wordy(after) || after == ':')
}

// covered reports whether one of the handles holds the byte at.
func covered(found []Found, at int) bool {
	i, _ := slices.BinarySearchFunc(found, at, func(f Found, at int) int { return cmp.Compare(f.End, at+1) })
	return i < len(found) && found[i].Start <= at
}
