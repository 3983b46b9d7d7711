// Package textdiff compares texts and applies patches to them: splices that
// turn one text into another, changed runs of lines, unified diffs and their
// strict application.
//
// Positions and lengths are Unicode code points; lines are 0-based with
// exclusive ends and keep their line feed. Only "\n" ends a line.
//
// A comparison goes from coarse to fine: lines, then words inside changed
// lines, then characters inside changed words. Runs that occur exactly once in
// both texts tie them together first; what lies between is given to a bounded
// longest-common-subsequence search. The time is near linear in the size of
// the texts: where the search would pass its bound, a longer run is replaced
// than need be. The result depends on the two texts only, never on the clock.
//
// The package is pure: it starts no goroutine, keeps no state and does no I/O.
// It does not guess: a patch applies where it says, or at the one other place
// where all of its lines are found, or not at all.
package textdiff
