package drift_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
)

func TestNewIDs(t *testing.T) {
	var ids []string
	for i := range 1000 {
		ids = append(ids, drift.NewID(noon.Add(time.Duration(i)*time.Microsecond)))
	}
	if !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != len(ids) {
		t.Errorf("NewID at a thousand microseconds: not ascending, or not unique")
	}
	id := drift.NewID(noon)
	if _, err := blocks.ParseID(id); err != nil || id[14] != '7' || !strings.ContainsRune("89ab", rune(id[19])) {
		t.Errorf("NewID = %q, %v, want a UUIDv7", id, err)
	}
	want := kaijutsu.NewContextID(noon).String()[:13]
	if id[:13] != want {
		t.Errorf("NewID = %q, want the time bits %s", id, want)
	}
	if again := drift.NewID(noon); again == id {
		t.Errorf("NewID gave %s twice", id)
	}
}

func TestIDsOfDriftsAreRead(t *testing.T) {
	for text, want := range map[string]string{
		contextUUID:                            contextUUID,
		strings.ToUpper(contextUUID):           contextUUID,
		"7f6c2a3e-9d1b-4c55-8e0f-1a2b3c4d5e6f": "7f6c2a3e-9d1b-4c55-8e0f-1a2b3c4d5e6f", // of version 4
	} {
		if got, err := drift.ParseID(text); err != nil || got != want {
			t.Errorf("ParseID(%q) = %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", "3", "0198c0de", contextUUID + "0", strings.ReplaceAll(contextUUID, "-", ""), "00000000-0000-0000-0000-000000000000"} {
		if got, err := drift.ParseID(text); !errors.Is(err, kaijutsu.ErrInvalid) || got != "" {
			t.Errorf("ParseID(%q) = %q, %v, want ErrInvalid", text, got, err)
		}
	}
}

// The id of a block must be the same in every version, on every node.
func TestBlockIDsNeverChange(t *testing.T) {
	target, err := kaijutsu.ParseContextID("0198c0de-0000-7000-8000-000000000001")
	if err != nil {
		t.Fatal(err)
	}
	other := kaijutsu.NewContextID(noon).Document()
	id := drift.BlockID(contextUUID, target.Document())
	if want := blocks.ID("0198c0de-1111-76a9-ac4d-a1516b80ba77"); id != want {
		t.Errorf("BlockID = %s, want %s", id, want)
	}
	if _, err := blocks.ParseID(string(id)); err != nil || string(id)[:13] != contextUUID[:13] || id[14] != '7' {
		t.Errorf("BlockID = %s, %v, want a UUIDv7 with the time bits of %s", id, err, contextUUID)
	}
	for name, again := range map[string]blocks.ID{
		"a copy":         drift.CopyID(contextUUID, target.Document()),
		"another target": drift.BlockID(contextUUID, other),
		"another drift":  drift.BlockID(blockUUID, target.Document()),
		"no id at all":   drift.BlockID("nonsense", target.Document()),
	} {
		if _, err := blocks.ParseID(string(again)); err != nil || again == id {
			t.Errorf("BlockID of %s = %s, %v, want another than %s", name, again, err, id)
		}
	}
}

func TestFingerprints(t *testing.T) {
	want := drift.Fingerprint("The pool leaks: see Größe.")
	if len(want) != 16 {
		t.Errorf("Fingerprint = %q, want 16 digits", want)
	}
	for _, same := range []string{" the  POOL leaks:\n\tsee GRÖßE. ", "THE POOL LEAKS: SEE größe."} {
		if got := drift.Fingerprint(same); got != want {
			t.Errorf("Fingerprint(%q) = %s, want %s as that of the same in other case and spaces", same, got, want)
		}
	}
	for _, other := range []string{"", "The pool leaks: see Größe", "Thepool leaks: see Größe."} {
		if got := drift.Fingerprint(other); got == want {
			t.Errorf("Fingerprint(%q) = %s, want another", other, got)
		}
	}
}
