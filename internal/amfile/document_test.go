package amfile

import (
	"bytes"
	"testing"
)

func TestDocumentsOfRealHistories(t *testing.T) {
	changes, ops := 0, 0
	realHistories(t, 21, realChanges(t, 5000), "", func(real realHistory) {
		got, err := DecodeDocument(real.document)
		if err != nil {
			t.Errorf("%s: %v", real.name, err)
			return
		}
		if len(got) != len(real.changes) {
			t.Errorf("%s: %d changes, want %d", real.name, len(got), len(real.changes))
			return
		}
		for i, c := range got {
			if !bytes.Equal(c.Raw, real.changes[i]) {
				t.Fatalf("%s: change %d = %x, want %x", real.name, i, c.Raw, real.changes[i])
			}
			ops += len(c.Ops)
		}
		changes += len(got)
	})
	t.Logf("%d changes, %d operations", changes, ops)
}
