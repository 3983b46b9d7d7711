package catalog

import (
	"kaijutsu/git"
)

// signatureRow is whom a commit names.
type signatureRow struct {
	Name  string `json:"name"`
	Email string `json:"email"`
	At    string `json:"at,omitempty"`
}

func signatureRowOf(s git.Signature) signatureRow {
	return signatureRow{s.Name, s.Email, timeText(s.When)}
}

// codeWords are what became of files, in words.
var codeWords = map[git.Code]string{
	git.Modified: "modified", git.TypeChanged: "type changed", git.Added: "added", git.Deleted: "deleted",
	git.Renamed: "renamed", git.Unmerged: "conflict", git.Untracked: "untracked", git.Ignored: "ignored",
}
