package llm

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/drift"
)

// answer is what has come of an answer.
type answer struct {
	text     strings.Builder
	told     func(textSoFar string) // may be nil
	model    string                 // as the server names it
	in, out  int                    // tokens, as the server counted; guesses until counted
	counted  bool                   // by the server, both
	began    bool                   // the server has begun to work on it
	stop     string                 // why it ended, in the words of the server
	declined bool                   // there is a refusal in place of a text
}

// add appends what came in an event. A text that arrived damaged is refused: its
// decoder puts U+FFFD where bytes or half a surrogate pair make no character.
func (a *answer) add(text string, event []byte) error {
	if text == "" {
		return nil
	}
	if strings.ContainsRune(text, utf8.RuneError) && !spelled(event) {
		return again(kaijutsu.ErrUnavailable, "the stream broke: it holds text that is not UTF-8")
	}
	if a.text.Len()+len(text) > drift.MaxContent {
		return final(kaijutsu.ErrTooLarge, "the answer is longer than %d bytes: lower the limit of tokens (kj serve --llm-max-tokens)", drift.MaxContent)
	}
	a.text.WriteString(text)
	if a.told != nil {
		a.told(spoken(a.text.String()))
	}
	return nil
}

// spelled reports whether an event holds U+FFFD itself.
func spelled(event []byte) bool {
	return bytes.ContainsRune(event, utf8.RuneError) && utf8.Valid(event) || bytes.Contains(bytes.ToLower(event), []byte(`\ufffd`))
}

// spoken returns an answer without the thoughts that some open models begin with
// in the text itself, and without spaces around it.
func spoken(text string) string {
	text = strings.TrimSpace(text)
	if rest, thinks := strings.CutPrefix(text, "<think>"); thinks {
		_, text, _ = strings.Cut(rest, "</think>")
	}
	return strings.TrimSpace(text)
}

// spent is how many tokens it took, as far as is known.
func (a *answer) spent() int {
	if a.counted {
		return a.in + a.out
	}
	if !a.began {
		return 0
	}
	return a.in + max(a.out, estimate(a.text.Len()))
}

// whole returns the text if it ended as it should: how is what the server's word
// for that means.
func (a *answer) whole(how ending) (string, error) {
	text := spoken(a.text.String())
	switch {
	case how == endDeclined || a.declined:
		return "", final(kaijutsu.ErrDenied, "the model declined to answer: distil something else, or with another model (kj serve --llm-model)")
	case how == endTokens:
		return "", final(kaijutsu.ErrTooLarge, "the answer was cut off at its limit of tokens: raise it (kj serve --llm-max-tokens)")
	case how == endWindow:
		return "", final(kaijutsu.ErrTooLarge, "the conversation and its answer are more than the model can hold: distil less, or with another model (kj serve --llm-model)")
	case how == endUnknown:
		return "", final(kaijutsu.ErrUnavailable, "the answer ended for a reason that is not known here: %s", quoted(a.stop))
	case text == "":
		return "", again(kaijutsu.ErrUnavailable, "the answer is empty")
	}
	return text, nil
}

// ending is why an answer ended.
type ending int

const (
	endUnknown ending = iota
	endWhole
	endTokens   // the limit of the answer
	endWindow   // the limit of the model
	endDeclined // refused, or filtered
)

// quoted writes a word of a server so that it can be shown.
func quoted(word string) string { return fmt.Sprintf("%.64q", word) }
