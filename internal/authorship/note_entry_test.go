package authorship

import (
	"fmt"
	"testing"
	"time"
)

func TestEntriesFoldWhenTheyAreTooMany(t *testing.T) {
	marks := make([]mark, maxEntries+1)
	for i := range marks {
		marks[i] = mark{"s_1", fmt.Sprintf("t_%014x", i), time.Unix(int64(i%100), 0)}
	}
	marks[0], marks[1] = mark{key: "h_1"}, mark{}
	if f := attestation("a", marks); len(f.Entries) != len(marks)-1 {
		t.Fatalf("%d writings make %d entries, want one each", len(marks)-1, len(f.Entries))
	}
	marks = append(marks, mark{"s_2", "t_00000000000001", time.Unix(1, 0)}, mark{"s_1", "t_00000000000002", time.Unix(200, 0)})
	f := attestation("a", marks)
	if len(f.Entries) != 3 {
		t.Fatalf("%d writings make %d entries, want one of each writer", len(marks), len(f.Entries))
	}
	for i, want := range []string{"h_1", "s_1::t_00000000000002", "s_2::t_00000000000001"} {
		if got := f.Entries[i].Key; got != want {
			t.Errorf("entry %d is of %s, want %s: the newest of the session", i, got, want)
		}
	}
	if n := len(f.Entries[1].Ranges); n != 2 || f.Entries[1].Ranges[0].First != 3 || f.Entries[1].Ranges[0].Last != maxEntries+1 {
		t.Errorf("ranges = %v, want two, the first as long as can be", f.Entries[1].Ranges)
	}
}
