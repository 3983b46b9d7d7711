package shelldoor

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// drifts completes the number of a drift that waits: of a dead letter, or
// of one that is held, where only those are meant.
func (l *line) drifts(cmd *cobra.Command, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	ctx, cancel := completing(cmd.Context())
	defer cancel()
	list, params := "drift_queue", map[string]json.RawMessage(nil)
	switch l.op.Name {
	case "drift_replay":
		list = "drift_dead_letters"
	case "drift_consent":
		params = map[string]json.RawMessage{"state": json.RawMessage(`"held"`)}
	}
	result, err := l.ask(ctx, list, params)
	var answer driftRows
	if err != nil || json.Unmarshal(result, &answer) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var words []cobra.Completion
	for _, d := range answer.Items {
		if strings.HasPrefix(d.id(), word) {
			words = append(words, cobra.CompletionWithDesc(d.id(), fmt.Sprintf("→ %s: %s", oneLine(d.To.String(), 30), oneLine(d.Content, 40))))
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}
