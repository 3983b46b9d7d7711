package doctor

import "fmt"

// Level says how bad a finding is.
type Level string

// The levels.
const (
	Sound  Level = "sound"
	Advice Level = "advice" // nothing is wrong, yet
	Wrong  Level = "wrong"
	Mended Level = "mended" // it was wrong
)

// Finding is what came of looking at one thing.
type Finding struct {
	Check string `json:"check"` // what was looked at
	Level Level  `json:"level"`
	What  string `json:"what"`           // was found
	Why   string `json:"why,omitempty"`  // it matters
	Mend  string `json:"mend,omitempty"` // how, or how it was mended
}

// Report is everything that was found, in the order in which it was looked at.
type Report struct {
	Running  bool      `json:"running"`
	Findings []Finding `json:"findings"`
}

// Sound reports whether nothing is wrong.
func (r *Report) Sound() bool {
	for _, f := range r.Findings {
		if f.Level == Wrong {
			return false
		}
	}
	return true
}

func (r *Report) add(f Finding) { r.Findings = append(r.Findings, f) }

func (r *Report) sound(check, format string, args ...any) {
	r.add(Finding{Check: check, Level: Sound, What: fmt.Sprintf(format, args...)})
}

func (r *Report) advice(check, what, why, mend string) {
	r.add(Finding{check, Advice, what, why, mend})
}

func (r *Report) wrong(check, what, why, mend string) { r.add(Finding{check, Wrong, what, why, mend}) }

func (r *Report) mended(check, what, why, how string) { r.add(Finding{check, Mended, what, why, how}) }
