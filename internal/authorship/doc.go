// Package authorship says who wrote what in files that are blocks, and says it
// in git's terms: for each line its last writer, for a commit its author,
// co-authors and trailers, and the note that other tools read.
//
// What it knows comes from four places, of which the first that knows counts:
//
//	log   the changes of the block: exact, as far back as the block goes
//	note  the note (refs/notes/ai) of the commit that git blames for the line
//	git   that commit's author
//	disk  nobody: the line came from the disk, or from a git that says no more
//
// Invariants:
//   - A line that the log knows is never attributed by anything else. Services
//     of the server (access.Reserved) are not writers. What came out of git, or
//     was in the file when it became a block, is looked for in git; what was
//     edited on a disk since stays nobody's, whoever commits it.
//   - A change whose message is "carried <hash>", made by a writer through git,
//     is the writer's older change, brought along by a checkout, stash or merge.
//     No such message of anybody else's is believed.
//   - A note names writers by keys from which the principal is found again, on
//     this kernel by name, elsewhere by address or tool.
//   - Notes, blobs and commits are foreign: bounded, and what they say is shown
//     as what a note or git says (BlameLine.Source).
//
// A Book is safe for concurrent use and starts no goroutine. It stores nothing:
// the log is internal/repo's, identities are internal/access', notes are git's;
// whoever commits writes them. It asks for nobody's right: its callers do.
package authorship
