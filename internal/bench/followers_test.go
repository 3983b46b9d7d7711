package bench

import (
	"slices"
	"testing"
)

// TestFindTimes cuts a stream into two reads at every place: each time in it is
// found once.
func TestFindTimes(t *testing.T) {
	const stream = `data: {"insert":"~123456789~"}` + "\n\n" + `~ and ~~ data: "~7~" ~8~`
	for cut := range len(stream) {
		var got []int64
		rest := ""
		for _, part := range []string{stream[:cut], stream[cut:]} {
			rest = findTimes(rest+part, func(n int64) { got = append(got, n) })
		}
		if want := []int64{123456789, 7, 8}; !slices.Equal(got, want) {
			t.Errorf("cut at %d: times %v, want %v", cut, got, want)
		}
	}
}
