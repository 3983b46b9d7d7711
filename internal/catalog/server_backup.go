package catalog

import (
	"context"
	"fmt"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type serverBackupIn struct{}

// BackupStatus is what a server knows of backups of it.
type BackupStatus struct {
	Last *BackupRow `json:"last,omitempty" jsonschema:"The last backup that was written to its end. Absent: there was none."`
	Now  int        `json:"now,omitempty" jsonschema:"Backups that are being taken."`
}

// BackupRow is a backup that was taken.
type BackupRow struct {
	At         string `json:"at" jsonschema:"The moment that it shows."`
	Documents  uint64 `json:"documents"`
	Bytes      uint64 `json:"bytes" jsonschema:"That were sent for it: what was new."`
	Unreadable uint64 `json:"unreadable,omitempty" jsonschema:"Documents that could not be read."`
	Principal  string `json:"principal" jsonschema:"Who took it."`
}

func (o *operations) serverBackup() *op.Op {
	return op.Define(op.Spec{
		Name: "server_backup", Title: "Show the last backup", Command: []string{"server", "backup"},
		Summary:     "Say when the server was backed up last",
		Description: "kj backup takes backups: of a running server from POST /v1/backup, which is there for whoever may call this.",
		Scope:       op.OnKernel, Right: kaijutsu.RightOwn, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("server_backup"),
	}, func(ctx context.Context, _ op.Call, _ serverBackupIn) (BackupStatus, error) {
		if o.parts.Backup == nil {
			return BackupStatus{}, fmt.Errorf("nobody tells of backups: %w", kaijutsu.ErrUnavailable)
		}
		return o.parts.Backup(ctx)
	})
}
