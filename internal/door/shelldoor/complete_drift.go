package shelldoor

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// drifts completes the number of a drift that waits: of a dead letter where
// only those are meant.
func (l *line) drifts(cmd *cobra.Command, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	ctx, cancel := completing(cmd.Context())
	defer cancel()
	list := "drift_queue"
	if l.op.Name == "drift_replay" {
		list = "drift_dead_letters"
	}
	result, err := l.ask(ctx, list, nil)
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
