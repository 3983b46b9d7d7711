package shelldoor

import "testing"

// TestFamiliesOfTheServerAreDescribed holds that help says what these are for.
func TestFamiliesOfTheServerAreDescribed(t *testing.T) {
	for _, word := range []string{"limit", "quarantine", "storage"} {
		if got := newGroup(word).Short; got != about[word] || got == "" {
			t.Errorf("short help of %s = %q, want what it is for", word, got)
		}
	}
}
