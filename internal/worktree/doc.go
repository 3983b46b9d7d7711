// Package worktree keeps the file blocks of a git worktree and its disk in
// step, both ways: what is written into a block reaches the file, and what
// happens to the file becomes a small edit of the block, while others type.
//
// # What holds
//
// A file that was opened is one block for ever: of kind file, role system, a
// record until somebody edits it. When the file is deleted the block is a
// tombstone, when it comes back the tombstone is lifted, when it is renamed the
// block goes with it. Which block is which file only the node's records say,
// never the block's meta, which any editor may write; it is put right.
//
// Of each file there are three states: the text that block and disk last agreed
// on, what the block holds, what the disk holds. What is to be done follows from
// these alone (decide), compared by hash and never by time: so nothing that the
// overlay writes comes back to it. Where only one changed, the other follows.
// Where both did, they are merged by lines, and what does not go together is
// shown in a block below the file's; nothing of the file moves until that is
// ended. The disk and git are the authority: nothing on the disk is written over
// that has not been looked at, in the moment of the exchange (vfs.Folder.Replace).
//
// A context belongs to one branch. The epoch, which is branch, commit, what is
// in progress and the index, is read before anything is written or taken, and
// again after it. When another branch is checked out, the overlay goes on with
// that branch's context, and what was not flushed stays in the old one. While git
// has its lock, or a rebase or the like is in progress, or the directory is
// gone, the overlay is paused. Git writes files first, then its index, then
// HEAD: so nothing is taken while these moved less than 60 ms ago, and what was
// taken although HEAD was about to move is taken back.
//
// Texts come in the name of the service disk, or whom the mount names, or in that
// of the service git, when git did something and the text is what git has. Of
// git's, lines that our logs know keep their writers: they come By them, Via git,
// with a message "carried" and the hash of the change that wrote them, and its
// context when that is another.
//
// When somebody deletes a file's block, the file is removed, unless it has changed
// since or the mount may only be read; restoring the block brings it back.
//
// # Waiting
//
// A block is flushed 30 ms after its last edit, and 100 ms after the first. A file
// is taken when it was still for 20 ms, or has changed for 100; one that is gone
// or empty, when it was so for 150 ms.
//
// # Records
//
// In this node's store, JSON with a version "v"; <mount> is a hash of the
// mount's path:
//
//	worktree/<mount>/place               branch, commit, context and generation
//	worktree/<mount>/doc/<document>      the context was attached once
//	worktree/<mount>/file/<document>/<block>  a file, as of what was last agreed
//
// A flush writes what it is about to do into the record first; after a crash a
// disk that holds that counts as agreed.
//
// # Goroutines
//
// One for each Overlay, its owner: it decides everything, edits through
// internal/repo as any service does, and does at most 64 files at a time. It may
// wait for documents and the disk; Note never does. Close ends it.
//
// # What it does not do
//
// It makes no commits and no branches, opens no repositories, and knows no
// rights but that it asks the kernel for them where a caller acts.
package worktree
