package kernel

import (
	"encoding/json"
	"fmt"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
)

// metaElicit is the key of a question in the meta of its block.
const metaElicit = "elicit"

// elicitMeta is a question as its block has it, beside the message, which is
// the content. Anybody who may edit the context can write it: it says what was
// asked and answered, and no more is believed of it.
type elicitMeta struct {
	By      string          `json:"by"` // who asked
	Schema  json.RawMessage `json:"schema,omitempty"`
	Seconds int             `json:"timeout_s"`
	Expires time.Time       `json:"expires"` // by the asker's clock
	Answer  *answerMeta     `json:"answer,omitempty"`
}

// answerMeta is what came of it. Where two nodes that do not hear each other
// write one, both are in the document and one wins everywhere: that of the
// later operation, as of any field.
type answerMeta struct {
	Action string    `json:"action"`
	Reason string    `json:"reason"`
	By     string    `json:"by,omitempty"`
	Block  blocks.ID `json:"block,omitempty"`
	At     time.Time `json:"at"`
}

// elicitOf reads the question of a block; false when it is none.
func elicitOf(b blocks.Block) (*elicitMeta, bool) {
	if b.Kind != blocks.KindQuery || b.Meta == "" {
		return nil, false
	}
	var meta struct {
		Elicit *elicitMeta `json:"elicit"`
	}
	if err := json.Unmarshal([]byte(b.Meta), &meta); err != nil || meta.Elicit == nil {
		return nil, false
	}
	if meta.Elicit.Seconds <= 0 || meta.Elicit.Seconds > int(MaxAskFor/time.Second) {
		return nil, false
	}
	return meta.Elicit, true
}

// into writes a question into the meta of a block, whose other keys stay.
func (m *elicitMeta) into(meta string) (string, error) {
	all := make(map[string]json.RawMessage)
	if meta != "" {
		if err := json.Unmarshal([]byte(meta), &all); err != nil {
			return "", fmt.Errorf("meta of a question: %w: %w", err, kaijutsu.ErrInvalid)
		}
	}
	var err error
	if all[metaElicit], err = json.Marshal(m); err != nil {
		return "", fmt.Errorf("meta of a question: %w: %w", err, kaijutsu.ErrInvalid)
	}
	text, err := json.Marshal(all)
	if err != nil {
		return "", fmt.Errorf("meta of a question: %w: %w", err, kaijutsu.ErrInvalid)
	}
	return string(text), nil
}
