package mounts

import (
	"fmt"
	"slices"
	"strings"

	"kaijutsu/internal/op"
)

// What a mount says about the commits that are made in it. The first of each is
// what counts where nothing is said.
var (
	trailerPolicies = []string{"all", "people", "off"}
	authorPolicies  = []string{"most", "caller", "committer"}
	notePolicies    = []string{"on", "off"}
)

func checkTrailers(s string) error { return oneOf("trailers", s, trailerPolicies) }
func checkAuthor(s string) error   { return oneOf("author", s, authorPolicies) }
func checkNotes(s string) error    { return oneOf("notes", s, notePolicies) }

// oneOf refuses what is neither empty nor one of the words.
func oneOf(field, s string, words []string) error {
	if s == "" || slices.Contains(words, s) {
		return nil
	}
	return &op.FieldError{Field: field, Reason: fmt.Sprintf("there is no %.64q", s), Hint: "want " + strings.Join(words, ", ")}
}

// or returns the first of the texts that is not empty.
func or(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}
