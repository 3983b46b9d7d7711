package kaijutsu

import (
	"errors"
	"testing"
	"time"
)

func TestNamesOfDocuments(t *testing.T) {
	older, newer := NewContextID(time.UnixMilli(1)), NewContextID(time.UnixMilli(2))
	if got, want := older.Document().Name(), older.String(); got != want {
		t.Errorf("Name of a context = %q, want %q", got, want)
	}
	plain, err := DocumentIDFromBytes(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := plain.Name(), plain.String(); got != want {
		t.Errorf("Name of 32 bytes = %q, want %q", got, want)
	}
	if got := older.Document().Compare(newer.Document()); got >= 0 {
		t.Errorf("Compare(older, newer) = %d, want less than 0", got)
	}
}

func TestHeadsReadAsTheyAreWritten(t *testing.T) {
	heads := NewHeads(ChangeHash{2}, ChangeHash{1})
	got, err := ParseHeads(heads.Texts())
	if err != nil || !got.Equal(heads) {
		t.Errorf("ParseHeads(%v) = %v, %v, want %v", heads.Texts(), got, err, heads)
	}
	if got := Heads(nil).Texts(); got == nil || len(got) != 0 {
		t.Errorf("Texts of no heads = %#v, want an empty list", got)
	}
	if _, err := ParseHeads([]string{"12"}); !errors.Is(err, ErrInvalid) {
		t.Errorf("ParseHeads(12) = %v, want ErrInvalid", err)
	}
}
