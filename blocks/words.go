package blocks

// Kind says what a block is. The kinds below are the ones we write; a document
// may hold others.
type Kind string

// The kinds of blocks.
const (
	KindText         Kind = "text"
	KindThinking     Kind = "thinking"
	KindToolCall     Kind = "tool_call"
	KindToolResult   Kind = "tool_result"
	KindShellCommand Kind = "shell_command"
	KindShellOutput  Kind = "shell_output"
	KindDrift        Kind = "drift"
	KindFile         Kind = "file"
	KindResource     Kind = "resource"
	KindQuery        Kind = "query"
	KindRun          Kind = "run"
	KindCheckpoint   Kind = "checkpoint"
	KindTask         Kind = "task"
	KindComment      Kind = "comment"
	KindError        Kind = "error"
)

// maxKindBytes bounds the kinds that we write.
const maxKindBytes = 32

// valid reports whether k is lower-case letters and underscores.
func (k Kind) valid() bool {
	for _, c := range []byte(k) {
		if (c < 'a' || c > 'z') && c != '_' {
			return false
		}
	}
	return k != "" && len(k) <= maxKindBytes
}

// Role says on whose behalf a block speaks.
type Role string

// The roles of blocks.
const (
	RoleUser   Role = "user"
	RoleModel  Role = "model"
	RoleSystem Role = "system"
	RoleTool   Role = "tool"
)

func (r Role) valid() bool {
	switch r {
	case RoleUser, RoleModel, RoleSystem, RoleTool:
		return true
	}
	return false
}

// Status says how far the work on a block is. It is a lattice: where clients
// disagree, pending gives way to running and running to a terminal status.
type Status string

// The statuses of blocks.
const (
	StatusPending   Status = "pending"
	StatusRunning   Status = "running"
	StatusDone      Status = "done"
	StatusError     Status = "error"
	StatusCancelled Status = "cancelled"
)

// Terminal reports whether the work on the block is over.
func (s Status) Terminal() bool { return s.rank() == 3 }

// join returns the higher of s and a status put at the same time whose
// operation is the later one, which wins among equals; what is no status is
// passed over.
func (s Status) join(later Status) Status {
	if r := later.rank(); r > 0 && r >= s.rank() {
		return later
	}
	return s
}

// rank returns the place in the lattice, 0 for what is no status.
func (s Status) rank() int {
	switch s {
	case StatusPending:
		return 1
	case StatusRunning:
		return 2
	case StatusDone, StatusError, StatusCancelled:
		return 3
	}
	return 0
}

// Form says which of its fields holds a block's content.
type Form string

// The forms of content. A block without content has none of them.
const (
	// FormText is a Text that everybody may edit inside.
	FormText Form = "text"
	// FormBody is a record: one string, never edited.
	FormBody Form = "body"
	// FormChunks is a record that is still being written: a list of strings
	// that only grows.
	FormChunks Form = "chunks"
)
