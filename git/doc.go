// Package git reads and writes git repositories without the git command: it
// opens and clones them, keeps linked worktrees, tells what changed in them,
// commits chosen files, and keeps the notes that say who wrote which line.
//
// Invariants:
//   - What it leaves on disk is what the git command would have left: ordinary
//     git works in every worktree and repository at any time, and its lock
//     files are respected.
//   - Everything in a repository may be hostile: objects, refs, index, config,
//     attributes and names are bounded and checked. Nothing is ever written
//     outside of a worktree or through a symbolic link, and no command named in
//     a repository is run: hooks, filters and credential helpers are not
//     started.
//   - A Repo and a Worktree may be used by many goroutines. The package starts
//     no goroutine that outlives a call.
//   - An extension of the repository format that is not understood is refused,
//     as git does: SHA-256 object names, reftable and partial clones among them.
//
// Object names are 40 hexadecimal digits, paths are relative to the top of the
// worktree with slashes, times have a second's precision. The package is the
// doorway to go-git, whose transports, pack reader and config parser it uses;
// refs, the index, attributes, ignore rules, status and checkout are its own,
// since go-git's lose what ordinary git keeps there, or take seconds.
//
// It does not merge, rebase, push, or check out submodules, and it knows
// nothing of blocks, contexts and principals.
package git
