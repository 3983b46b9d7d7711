package drift

import (
	"regexp"
	"strings"
	"unicode"
)

// section is a part of a briefing, in the order in which they come.
type section int

const (
	decisions section = iota
	findings
	references
	questions
	other
	sections // how many there are
)

var sectionNames = [sections]string{"Decisions", "Findings", "Code references", "Open questions", "Other"}

// The cues by which a sentence says of itself what it is. They are words of
// English; in other languages question marks, code and numbers are left.
var (
	decisionCues = phrases(`decided|decide to|decision is|decision was|the decision|agreed|agreed to|agree that|we will|we'll|
we chose|chose|chosen|choose to|settled on|settle on|going with|go with|let's go|let's use|let's keep|let's do|
we won't|we are going to|we're going to|approved|rejected|consensus|ruled out|from now on|
must always|must never`)
	findingCues = phrases(`found|found that|measured|because|turns out|turned out|root cause|the cause|caused by|is caused|was caused|
confirmed|confirms|reproduced|reproduces|shows that|showed that|observed|discovered|noticed|the reason|explains|
explained by|it follows|verified|bisected|as a result|the problem is|the problem was|the bug is|the bug was|
the fault is|the fault was|the trouble is|in fact`)
	questionCues = phrases(`open question|open questions|open issue|still open|left open|remains open|stays open|is open|unclear|undecided|unresolved|
unknown|not sure|we don't know|don't know|do not know|nobody knows|not yet known|yet to|tbd|follow up|follow-up|` +
		"to" + `do|needs a decision|need to decide|need to find out|needs to be checked|remains to be|has to be decided|to be decided`)
	answerCues = phrases(`yes|no|because|it does|it is|it was|it did|they do|they are|we do|we did|the answer|right|agreed|
correct|exactly|that is|not in|not yet|none`)
	chatterCues = phrases(`i'll|i will|let me|i'm going to|i am going to|sure|thanks|thank you|okay|ok|great|good question|
good point|sounds good|hello|hi|sorry|please|looking at|here is|here's|can you|could you`)
)

// What sentences count that talk about the talk, and those that begin by
// pointing at one before them, which the extract may not have.
const (
	chatterWeight  = 0.3
	pointingWeight = 0.7
)

var pointers = setOf("because that this it these those they he she so then both yes no and but or")

var (
	// codeName is what names something in code besides what stands between
	// backticks: a path, file:line, a call, and words in the spellings that only
	// identifiers have.
	codeName = regexp.MustCompile(`[\w.-]+/[\w./-]*\w\.[a-z]\w{0,5}\b` + // a path to a file
		`|\b[\w-]+\.(?:go|rs|py|js|mjs|ts|tsx|c|h|cc|cpp|java|rb|sh|sql|md|json|ya?ml|toml|css|html|proto|txt|log|conf|ini)\b` +
		`|\b[\w.-]+\.\w{1,5}:\d+\b` + // file:line
		`|\b[A-Za-z_][\w.]*\(\)` + // a call
		`|\b[a-z]+\d*[A-Z]\w*\b|\b[A-Z][a-z0-9]+[A-Z]\w*\b` + // camelCase, PascalCase
		`|\b[A-Za-z0-9]+_\w+\b` + // snake_case
		`|\b[0-9a-f]*\d[0-9a-f]*[a-f][0-9a-f]*\b`) // a hash, if it is long enough
	// measure is a number with a unit: what somebody measured.
	measure = regexp.MustCompile(`\b\d[\d.,]*\s?(?:ns|µs|us|ms|s|sec|seconds|minutes|min|hours|h|%|B|KB|KiB|MB|MiB|GB|GiB|TB|fps|rps|qps|req/s|times|x)(?:\W|$)`)
	// announcement is what says in so many words that it is a decision.
	announcement = regexp.MustCompile(`^(?i:\W*(?:decision|decided|agreed|resolved)\W*:\s)`)
	question     = regexp.MustCompile("[?？؟\u037e]+[\\s)\\]\"'”’»*_`]*$")
)

// How much a cue counts: the plainer it is, the more.
const (
	announced = 2.0 // "Decision: …"
	worded    = 1.3
	headed    = 1.2 // by the heading that it stands under
	asked     = 0.8 // a question mark: most questions of a talk are answered in it
	counted   = 0.8 // a number with a unit
	named     = 1.0 // code
)

// classify says what a sentence is, by how it is written and the heading that
// it stands under, and how plainly it says so; 0: it does not.
func classify(text string, words []string, heading string) (s section, cue float64) {
	under, isHeaded := sectionOf(heading)
	said := " " + strings.Join(words, " ") + " "
	switch {
	case announcement.MatchString(text):
		return decisions, announced
	case question.MatchString(text):
		return questions, asked
	case isHeaded:
		return under, headed
	case has(said, decisionCues):
		return decisions, worded
	case has(said, questionCues):
		return questions, announced
	case has(said, findingCues):
		return findings, worded
	case strings.ContainsAny(text, "0123456789") && measure.MatchString(text):
		return findings, counted
	case namesCode(text):
		return references, named
	}
	return other, 0
}

// headings are the words by which a heading announces a section.
var headings = []struct {
	section section
	cues    []string
}{
	{questions, phrases("question|questions|open|unknowns|" + "to" + "do|next steps|follow-ups")},
	{decisions, phrases("decision|decisions|decided|agreed|resolution")},
	{findings, phrases("finding|findings|result|results|root cause|cause|measurements|observations|conclusion|conclusions")},
	{references, phrases("code references|references|files")},
}

// isAnswered reports whether what follows a question begins as answers do.
func isAnswered(words []string) bool {
	said := " " + strings.Join(words[:min(len(words), 3)], " ") + " "
	for _, cue := range answerCues {
		if strings.HasPrefix(said, cue) {
			return true
		}
	}
	return false
}

// sectionOf returns the section that a heading announces.
func sectionOf(heading string) (section, bool) {
	if heading == "" {
		return other, false
	}
	said := " " + strings.Join(wordsOf(heading), " ") + " "
	for _, h := range headings {
		if has(said, h.cues) {
			return h.section, true
		}
	}
	return other, false
}

// isChatter reports whether a sentence begins by talking about the talk.
func isChatter(words []string) bool {
	said := " " + strings.Join(words[:min(len(words), 4)], " ") + " "
	for _, cue := range chatterCues {
		if strings.HasPrefix(said, cue) {
			return true
		}
	}
	return false
}

// namesCode reports whether a sentence names something in code. Only words that
// look unlike others are put to the expression.
func namesCode(text string) bool {
	if strings.Count(text, "`") > 1 {
		return true
	}
	for _, word := range strings.Fields(text) {
		if !isPlain(word) {
			if name := codeName.FindString(word); strings.Trim(name, "0123456789abcdef") != "" || len(name) >= minHashDigits {
				return true
			}
		}
	}
	return false
}

// minHashDigits is the fewest hexadecimal digits that are taken for a hash.
const minHashDigits = 7

// isPlain reports whether a word is of letters without a capital inside, with
// at most a sign at its end.
func isPlain(word string) bool {
	for i, r := range word {
		plain := unicode.IsLetter(r) && (i == 0 || !unicode.IsUpper(r))
		if !plain && i < len(word)-1 {
			return false
		}
	}
	return true
}

// phrases reads cues that stand between bars; each is its words between spaces,
// as Unicode separates them.
func phrases(list string) []string {
	var cues []string
	for _, cue := range strings.Split(list, "|") {
		cues = append(cues, " "+strings.Join(wordsOf(cue), " ")+" ")
	}
	return cues
}

func has(said string, cues []string) bool {
	for _, cue := range cues {
		if strings.Contains(said, cue) {
			return true
		}
	}
	return false
}
