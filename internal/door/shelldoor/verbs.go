package shelldoor

import "encoding/json"

// aliases are other verbs for the commands of operations.
var aliases = map[string][]string{
	"context_create":    {"new"},
	"context_list":      {"list"},
	"context_get":       {"cat", "show", "read"},
	"context_delete":    {"rm"},
	"context_rename":    {"mv"},
	"block_create":      {"add", "new"},
	"block_read":        {"cat", "show", "get"},
	"block_list":        {"list"},
	"block_delete":      {"rm"},
	"block_move":        {"mv"},
	"block_apply_patch": {"patch"},
	"block_history":     {"log"},
	"block_search":      {"grep"},
	"token_create":      {"new"},
	"token_list":        {"list"},
	"token_revoke":      {"rm"},
	"role_list":         {"list"},
	"limit_list":        {"list"},
	"seat_list":         {"list"},

	"drift_list":         {"list"},
	"drift_queue":        {"q"},
	"drift_dead_letters": {"dead-letters"},
	"drift_link_list":    {"links"},

	"mount_list":    {"list"},
	"mount_remove":  {"unmount"},
	"fs_search":     {"grep"},
	"identity_list": {"list"},
}

// shorthands are flags of one letter, by operation and parameter.
var shorthands = map[string]map[string]string{
	"drift_push": {"summarize": "s"},

	"fs_search":  {"ignore_case": "i"},
	"fs_remove":  {"recursive": "r"},
	"git_blame":  {"lines": "L"},
	"git_log":    {"limit": "n"},
	"git_commit": {"message": "m", "all": "a", "summarize": "s", "yes": "y"},
}

// otherPlaces are second places of commands, where people look for them too.
var otherPlaces = map[string][][]string{
	"fs_list":   {{"fs", "ls"}},
	"fs_read":   {{"fs", "cat"}},
	"git_blame": {{"git", "blame"}},
}

// The operations whose content is a file.
const (
	exportName = "context_export"
	importName = "context_import"
)

// humane are parameters that differ, where a line does not say, for people:
// not with --json, which shows the operation as it is.
var humane = map[string]map[string]json.RawMessage{
	"block_read":  {"line_numbers": json.RawMessage("false")},
	"block_blame": {"by": json.RawMessage(`"lines"`)},
}

// formats are the formats of files by the ends of their names.
var formats = map[string]string{".md": "markdown", ".markdown": "markdown", ".json": "json", ".automerge": "automerge"}
