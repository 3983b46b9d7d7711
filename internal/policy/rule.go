package policy

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"kaijutsu/blocks"
	"kaijutsu/drift"
)

// maxMentions is how many contexts one block reaches by mentioning them.
const maxMentions = 16

// note is what counts of a block.
type note struct {
	labels     []string
	checkpoint bool
	act        string     // of a drift block
	meta       drift.Meta // of a drift block
	drift      bool
}

// noteOf reads the meta of a block, which anybody may have written.
func noteOf(b blocks.Block) note {
	var n note
	all := object(b.Meta)
	if raw, ok := all["label"]; ok {
		var label string
		if json.Unmarshal(raw, &label) == nil {
			n.labels = append(n.labels, label)
		}
	}
	if raw, ok := all["labels"]; ok {
		var labels []string
		if json.Unmarshal(raw, &labels) == nil {
			n.labels = append(n.labels, labels...)
		}
	}
	n.checkpoint = b.Kind == blocks.KindCheckpoint || string(all["checkpoint"]) == "true"
	if b.Kind == blocks.KindDrift {
		if n.meta, n.drift = drift.ParseMeta(b.Meta); n.drift {
			n.act = n.meta.Act
		}
	}
	return n
}

// counts reports whether a block can make a rule push: it shows, is done, and
// its author means it to be read.
func counts(b blocks.Block) bool {
	return b.Status == blocks.StatusDone && !b.Deleted && !b.Excluded && !b.Ephemeral
}

// mentionable are the kinds whose text is written for readers.
var mentionable = []blocks.Kind{blocks.KindText, blocks.KindComment, blocks.KindTask, blocks.KindDrift}

var mention = regexp.MustCompile(`@[a-z0-9][a-z0-9._+-]{0,62}`)

// mentions returns the words that a text mentions, each once, in order: what
// follows an @ at the beginning of a word. The end of a sentence is none of it.
func mentions(text string) []string {
	var out []string
	for _, at := range mention.FindAllStringIndex(text, -1) {
		if at[0] > 0 && inWord(text[at[0]-1]) {
			continue
		}
		word := strings.TrimRight(text[at[0]+1:at[1]], "._+-")
		if word != "" && !slices.Contains(out, word) {
			if out = append(out, word); len(out) == maxMentions {
				break
			}
		}
	}
	return out
}

// inWord reports whether a byte is of a word: an address of mail is no mention.
func inWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '.' || c == '-' || c == '/' || c >= 0x80
}

// matches reports whether a rule is about a block, but for its context and, of
// a mention, whether somebody goes by that label.
func (r Rule) matches(b blocks.Block, n note) bool {
	switch r.On {
	case OnDone:
		return slices.Contains(n.labels, r.Label)
	case OnCheckpoint:
		return n.checkpoint
	case OnMention:
		return slices.Contains(mentionable, b.Kind) && len(mentions(b.Content)) > 0
	}
	return false
}

// about reports whether any rule matches a block.
func (p *Policy) about(b blocks.Block, n note) bool {
	return slices.ContainsFunc(p.Rules, func(r Rule) bool { return r.matches(b, n) })
}

// empty reports whether there is nothing of a block to push.
func (r Rule) empty(b blocks.Block) bool {
	return r.On == OnDone && !r.Summarize && strings.TrimSpace(b.Content) == ""
}

// briefs reports whether a briefing of the context is pushed and not the block.
func (r Rule) briefs() bool { return r.Summarize || r.On == OnCheckpoint }
