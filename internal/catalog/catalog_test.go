package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

func TestEveryOperationIsDefined(t *testing.T) {
	want := strings.Fields(`
		audit_list block_append block_apply_patch block_blame block_create block_delete block_edit block_history block_list
		block_move block_read block_replace block_restore block_search block_set block_splice block_status block_thaw
		citation_create citation_resolve context_archive context_at context_create context_delete context_diff
		context_export context_fork context_get context_history context_import context_label context_lineage context_list
		context_model context_rename drift_cancel drift_consent drift_dead_letters drift_flush drift_graph drift_inbox
		drift_link_list drift_link_remove drift_link_set drift_list drift_merge drift_offer drift_policy drift_policy_set
		drift_pull drift_push drift_queue drift_replay drift_show elicit elicit_answer elicit_list events_follow fs_list
		fs_mkdir fs_read fs_remove fs_rename fs_resolve fs_search fs_stat fs_write git_blame git_branch git_commit git_diff
		git_log git_status identity_list identity_set kernel_search limit_list limit_set mount_add mount_list mount_remove
		mount_set node_list node_status notes_rewrite presence_set quarantine_list quarantine_release role_list role_set
		seat_join seat_leave seat_list server_backup server_status storage_mend storage_scrub token_create token_list
		token_revoke token_rotate undo whoami`)
	var got []string
	for _, o := range New(Parts{}).All() {
		got = append(got, o.Name)
		if o.Description == "" {
			t.Errorf("%s has no description", o.Name)
		}
		for _, schema := range []*jsonschema.Schema{o.In, o.Out} {
			if _, err := schema.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true}); err != nil {
				t.Errorf("%s: %v", o.Name, err)
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("operations are %v, want %v", got, want)
	}
}
