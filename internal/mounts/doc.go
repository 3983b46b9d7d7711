// Package mounts puts what is behind the paths of a kernel's files together: the
// mounts, who may do what with them, and what git does in those that are
// worktrees.
//
// A mount is a path with something behind it: memory, a folder of a node's disk,
// or a linked worktree of a git repository, whose text files are blocks. It
// belongs to the node whose disk that is; the others list it and answer, for
// everything else, where it is. Its blocks are edited anywhere.
//
// Invariants:
//
//   - Only an owner of the kernel adds, sets and removes mounts. Who may not read
//     the context of a git mount does not see the mount.
//   - A branch of a git mount has one context, the same for ever, also when the
//     mount is removed and added again.
//   - A mount that cannot be opened, or whose disk vanishes, says so and is tried
//     again; it stops nothing else.
//   - A commit holds the chosen files as their blocks are at one moment and
//     nothing else. Its note, and the block and event that tell of it, follow
//     also when the server ends in between.
//   - A git mount's own checkout of its user is never touched: the worktree is
//     one of ours, below the data directory.
//
// Goroutines: the keeper, which opens, looks after and closes the mounts of this
// node, and one for each that is being opened or closed. Close ends them and
// waits.
//
// Records of internal/records, JSON with a version "v":
//
//	mount/<id>                 path, what is behind it, node, policy, who and when; removed ones stay
//	mount/<id>/<branch hash>   the context of a branch
//
// Records of this node's store:
//
//	mounts/base/<context>/<block>  where a context stood when the block was last committed
//	mounts/pending/<id>            a commit that was not told of yet
//
// Files below the data directory: worktrees/<name>, the worktrees, and
// git/<name>.git, clones of repositories that came by URL.
//
// It does not watch disks, merge text or know git's formats: internal/worktree,
// internal/diskwatch and git do.
package mounts
