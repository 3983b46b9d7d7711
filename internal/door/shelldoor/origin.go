package shelldoor

import (
	"encoding/json"
	"fmt"
	"strings"
)

// origin is what the meta of a drift block says, as far as people are shown.
type origin struct {
	Kind    string `json:"drift_kind"`
	Context string `json:"source_context"`
	Title   string `json:"source_title"`
	Act     string `json:"act"`
	Stale   []struct {
		Ref int `json:"ref"`
	} `json:"stale"`
}

// shortDigits is how much of the end of an id is shown.
const shortDigits = 6

// Origin says in a few words how a drift block came, from where, and what it
// cites that is stale: push from Plan (a1b2c3) · stale [1]. Of other blocks, and
// where the meta does not say it, it is empty.
func (b BlockRow) Origin() string {
	var o origin
	if b.Kind != "drift" || json.Unmarshal([]byte(b.Meta), &o) != nil || o.Kind == "" {
		return ""
	}
	from := Place{ID: o.Context, Title: o.Title}
	if len(o.Context) > shortDigits {
		from.Short = o.Context[len(o.Context)-shortDigits:]
	}
	words := []string{oneLine(o.Kind, 20) + " from " + oneLine(from.String(), 80)}
	if o.Act != "" {
		words = append(words, "act: "+oneLine(o.Act, 20))
	}
	var stale []string
	for _, mark := range o.Stale {
		stale = append(stale, fmt.Sprintf("[%d]", mark.Ref))
	}
	if len(stale) > 0 {
		words = append(words, "stale "+oneLine(strings.Join(stale, ""), 40))
	}
	return strings.Join(words, " · ")
}
