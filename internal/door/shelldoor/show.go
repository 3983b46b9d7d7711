package shelldoor

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// shows say how people see the result of an operation. What has none is shown
// as fields and tables.
var shows = map[string]func(*screen, json.RawMessage) error{
	"context_create":    as(showNewContext),
	"context_fork":      as(showNewContext),
	"context_import":    as(showNewContext),
	"context_rename":    as(showContextRow),
	"context_archive":   as(showContextRow),
	"context_label":     as(showContextRow),
	"context_model":     as(showContextModel),
	"context_lineage":   as(showLineage),
	"context_list":      as(showContexts),
	"context_get":       as(showContext),
	"context_at":        as(showContext),
	"context_delete":    as(showDeleted),
	"context_diff":      as(showDiff),
	"block_create":      as(showNewBlock),
	"block_append":      as(showAppended),
	"block_edit":        as(showWritten),
	"block_splice":      as(showWritten),
	"block_replace":     as(showWritten),
	"block_status":      as(showWritten),
	"block_move":        as(showWritten),
	"block_set":         as(showWritten),
	"block_delete":      as(showWritten),
	"block_restore":     as(showWritten),
	"block_thaw":        as(showWritten),
	"block_apply_patch": as(showPatched),
	"block_read":        as(showRead),
	"block_list":        as(showBlocks),
	"block_search":      as(showFound),
	"block_history":     as(showHistory),
	"block_blame":       as(showBlame),
	"undo":              as(showUndone),
	"kernel_search":     as(showMatches),
	"token_create":      as(showNewToken),
	"token_list":        as(showTokens),
	"token_rotate":      as(showNewToken),
	"audit_list":        as(showAudit),
	"role_list":         as(showRoles),
	"seat_list":         as(showSeats),
	"role_set":          as(showRole),
	"limit_list":        as(showLimits),
	"limit_set":         as(showLimit),

	"drift_push":         as(showPushed),
	"drift_pull":         as(showPulled),
	"drift_merge":        as(showMerged),
	"drift_list":         as(showDriftList),
	"drift_queue":        as(showQueue),
	"drift_show":         as(showDrift),
	"drift_cancel":       as(showCancelled),
	"drift_flush":        as(showFlushed),
	"drift_dead_letters": as(showDeadLetters),
	"drift_replay":       as(showReplayed),
	"drift_consent":      as(showConsented),
	"drift_graph":        as(showGraph),
	"drift_inbox":        as(showInbox),
	"citation_create":    as(showHandle),
	"citation_resolve":   as(showCitation),

	"mount_add":     as(showMounted),
	"mount_set":     as(showMounted),
	"mount_remove":  as(showUnmounted),
	"mount_list":    as(showMounts),
	"fs_stat":       as(showEntry),
	"fs_write":      as(showWrittenFile),
	"fs_mkdir":      as(showWrittenFile),
	"fs_rename":     as(showWrittenFile),
	"fs_remove":     as(showRemoved),
	"fs_search":     as(showGrep),
	"fs_resolve":    as(showResolved),
	"git_status":    as(showStatus),
	"git_diff":      as(showFileDiffs),
	"git_log":       as(showLog),
	"git_branch":    as(showBranches),
	"git_commit":    as(showCommit),
	"git_blame":     as(showLines),
	"notes_rewrite": as(showRewritten),
	"identity_set":  as(showIdentity),
	"identity_list": as(showIdentities),
}

// as makes a show of a function from the decoded result.
func as[T any](f func(*screen, T) error) func(*screen, json.RawMessage) error {
	return func(s *screen, result json.RawMessage) error {
		var v T
		if err := json.Unmarshal(result, &v); err != nil {
			return fmt.Errorf("result: %w", err)
		}
		return f(s, v)
	}
}

// show prints a result.
func (l *line) show(cmd *cobra.Command, result json.RawMessage) error {
	if l.op.Name == exportName && (!l.asJSON || l.output != "") {
		return l.showExport(cmd, result)
	}
	if l.op.Name == readName && !l.asJSON {
		return l.showFile(cmd, result)
	}
	if l.op.Name == listName && !l.asJSON {
		return l.showFiles(cmd, result)
	}
	if l.asJSON {
		if len(result) == 0 || result[len(result)-1] != '\n' {
			result = append(slices.Clip(result), '\n')
		}
		_, err := cmd.OutOrStdout().Write(result)
		return err
	}
	if f := shows[l.op.Name]; f != nil {
		return f(newScreen(cmd), result)
	}
	return showFields(newScreen(cmd), result)
}

// showFields shows any result: its fields by name, a list of objects as a
// table.
func showFields(s *screen, result json.RawMessage) error {
	var fields map[string]any
	if err := json.Unmarshal(result, &fields); err != nil {
		s.printf("%s\n", s.clean(string(result)))
		return nil
	}
	var rows [][]string
	for _, k := range slices.Sorted(maps.Keys(fields)) {
		if list, ok := fields[k].([]any); ok && len(list) > 0 && isObject(list[0]) {
			if err := s.table(tableOf(list)); err != nil {
				return err
			}
			continue
		}
		rows = append(rows, []string{strings.ReplaceAll(k, "_", " "), plain(fields[k])})
	}
	return s.table(rows)
}

func isObject(v any) bool {
	_, ok := v.(map[string]any)
	return ok
}

// tableOf makes columns of the fields that the objects have.
func tableOf(list []any) [][]string {
	names := make(map[string]bool)
	for _, v := range list {
		for k := range v.(map[string]any) {
			names[k] = true
		}
	}
	columns := slices.Sorted(maps.Keys(names))
	heading := make([]string, len(columns))
	for i, c := range columns {
		heading[i] = strings.ToUpper(c)
	}
	rows := [][]string{heading}
	for _, v := range list {
		row := make([]string, len(columns))
		for i, c := range columns {
			row[i] = oneLine(plain(v.(map[string]any)[c]), 60)
		}
		rows = append(rows, row)
	}
	return rows
}

// plain shows a value without the marks of JSON where it can.
func plain(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		return strings.TrimSuffix(fmt.Sprintf("%.6f", v), ".000000")
	case []any:
		words := make([]string, len(v))
		for i := range v {
			words[i] = plain(v[i])
		}
		return strings.Join(words, " ")
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}
