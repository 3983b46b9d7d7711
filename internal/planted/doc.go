// Package planted holds bugs that are put into the server on purpose, so that
// kj torture can show that it finds them.
//
// A plant is one condition at the place in the code where people have made the
// mistake before: On with the plant's name. Without the build tag planted, On is
// constantly false, the compiler leaves the branch out, and nothing of a plant is
// in the binary. With it, the environment variable KJ_PLANTED names the one
// plant that is on; with an empty one the binary is sound.
//
// It has no goroutines and stores nothing. It deliberately knows nothing of how
// a plant is found: internal/torture does.
package planted

// Env is the environment variable that names the plant that is on.
const Env = "KJ_PLANTED"

// Plant is one bug that can be put in.
type Plant struct {
	Name  string
	About string // what the mistake is, and where
}

// All are the plants, in the order in which they are looked for.
var All = []Plant{
	{"ack-before-fsync", "store: a commit is acknowledged when it is written, not when it is synced"},
	{"saved-light-early", "repo: changes are shown and acknowledged 100 ms before they are stored, as a debounced save does"},
	{"lost-tail", "repo: the last change of a log is missing when the log is read again"},
	{"lost-half", "store: the last of the writes that share a commit is answered and not written"},
	{"dropped-orphan", "changegraph: a change whose dependency has not come yet is dropped instead of kept"},
	{"duplicate-apply", "repo: an operation is carried out twice, as by a retry after an answer that was lost"},
	{"stale-model", "repo: of the changes that are committed together only the first reaches the read model"},
	{"stale-right", "access: those who watch a token are not told that it was revoked"},
	{"commenter-writes", "repo: changes that a commenter syncs are not held against what a commenter may do"},
	{"wrong-attribution", "repo: the actor of an editor is booked on who edited before"},
	{"journal-cut", "cluster: the journal is pruned to its end, and what somebody was to resume from is gone"},
	{"rollback-forgotten", "repo: changes that the disk refused stay in memory"},
	{"bomb", "amfile: a compressed change is inflated whatever size it takes"},
}
