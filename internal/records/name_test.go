package records_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/records"
)

// TestTwoDocumentsOfRecords holds that a kernel's second document is another,
// with bounds of its own, and that the first is where it always was.
func TestTwoDocumentsOfRecords(t *testing.T) {
	n := newNode(t)
	open := func() *records.Table {
		t.Helper()
		second, err := records.Open(records.Config{Log: slog.New(slog.DiscardHandler), Repo: n.repo, Kernel: "main", Name: "drift", MaxValue: 100_000})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = second.Close() })
		n.second.Store(second)
		return second
	}
	second := open()
	if got, want := n.Doc(), records.DocumentIDOf("records", "main"); got != want || got != records.DocumentID("main") {
		t.Errorf("the first document = %v, want %v", got, want)
	}
	if second.Doc() == n.Doc() || second.Doc() != records.DocumentIDOf("drift", "main") {
		t.Errorf("the second document = %v", second.Doc())
	}
	large := bytes.Repeat([]byte("x"), 100_000)
	if err := n.Put(t.Context(), amy, "large", large); !errors.Is(err, kaijutsu.ErrTooLarge) {
		t.Errorf("a large record in the first = %v, want ErrTooLarge", err)
	}
	if err := second.Put(t.Context(), amy, "large", append(large, 'x')); !errors.Is(err, kaijutsu.ErrTooLarge) {
		t.Errorf("too large a record in the second = %v, want ErrTooLarge", err)
	}
	if err := second.Put(t.Context(), amy, "large", large); err != nil {
		t.Fatal(err)
	}
	again := open()
	if got, ok := again.Get("large"); !ok || !bytes.Equal(got, large) {
		t.Errorf("read again = %d bytes, %v, want %d", len(got), ok, len(large))
	}
	if _, there := n.Get("large"); there {
		t.Error("the first document has the record of the second")
	}
}

// TestFewSnapshots writes and deletes records as a queue does: taking them all
// together must not be done again and again.
func TestFewSnapshots(t *testing.T) {
	n := newNode(t)
	value := strings.Repeat("what was found out ", 3000)
	for i := range 300 {
		n.put("item/1", fmt.Sprint(value, i))
	}
	if got := n.repo.Stats().Snapshots; got > 6 {
		t.Errorf("%d snapshots of 17 MB, want one each time it has doubled", got)
	}
}
