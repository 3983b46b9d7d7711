package shelldoor

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// commitName is the operation that may ask before it does what it is to do.
const commitName = "git_commit"

// agree asks people at a terminal whether a commit is to be made whose message
// they have not seen before, and makes it with that message when they agree.
// Elsewhere the answer is an error that says how to go on; with --json it is the
// server's.
func (l *line) agree(cmd *cobra.Command, result json.RawMessage) (json.RawMessage, error) {
	var shown commitRow
	if l.op.Name != commitName || l.asJSON || json.Unmarshal(result, &shown) != nil || shown.Committed || shown.DryRun || shown.Message == "" {
		return result, nil
	}
	if !readsTerminal(cmd.InOrStdin()) {
		if err := l.show(cmd, result); err != nil {
			return nil, err
		}
		return nil, errors.New("nothing is committed yet: --yes commits with such a message at once, -m with one of yours")
	}
	if err := showCommit(newScreen(cmd), shown); err != nil {
		return nil, err
	}
	fmt.Fprint(cmd.ErrOrStderr(), "Commit? [y/N] ")
	answer, err := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
	if word := strings.ToLower(strings.TrimSpace(answer)); err != nil || word != "y" && word != "yes" {
		return nil, errors.New("nothing is committed")
	}
	params, err := l.object(nil)
	if err != nil {
		return nil, err
	}
	all := make(map[string]json.RawMessage)
	if err := json.Unmarshal(params, &all); err != nil {
		return nil, err
	}
	delete(all, "summarize")
	if all["message"], err = text(shown.Message); err != nil {
		return nil, err
	}
	if params, err = json.Marshal(all); err != nil {
		return nil, err
	}
	return l.tree.door.Run(cmd.Context(), l.op, params)
}

// readsTerminal reports whether somebody can answer.
func readsTerminal(in io.Reader) bool {
	f, ok := in.(*os.File)
	return ok && IsTerminal(f)
}
