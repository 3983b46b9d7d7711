package drift

import (
	"fmt"

	"kaijutsu"
)

// ReadCitations returns the citations that the meta of any block names, and
// the marks it has, whatever else it holds. Entries that cannot be read, or
// whose number an earlier one has, are passed over; so is a list, or a meta,
// that is too long.
func ReadCitations(meta string) ([]Citation, []Mark) {
	if meta == "" || len(meta) > maxMetaBytes {
		return nil, nil
	}
	o, err := parseObject([]byte(meta))
	if err != nil {
		return nil, nil
	}
	var citations []Citation
	var marks []Mark
	for _, in := range o.entries("citations", maxCitations) {
		if c := in.citation(); *in.bad == nil && checkCitations(append(citations[:len(citations):len(citations)], c)) == nil {
			citations = append(citations, c)
		}
	}
	for _, in := range o.entries("stale", maxCitations) {
		if s := in.mark(); *in.bad == nil && checkMarks([]Mark{s}) == nil {
			marks = append(marks, s)
		}
	}
	return citations, marks
}

// MarkStale returns a block's meta with these marks in place of those it has;
// without any, the key goes. Nothing else of it changes, but for white space
// and the order of keys. Diffs are shortened where the meta would get too long.
// The error wraps kaijutsu.ErrInvalid or kaijutsu.ErrTooLarge.
func MarkStale(meta string, marks []Mark) (string, error) {
	if err := checkMarks(marks); err != nil {
		return "", err
	}
	kept, err := keptKeys(meta)
	if err != nil {
		return "", err
	}
	delete(kept, "stale")
	var text string
	for _, cut := range cuts {
		row := metaRow{Stale: markRows(marks)}
		cut.apply(&row)
		if text, err = join(kept, row); err != nil || len(text) <= maxMetaBytes {
			return text, err
		}
	}
	return "", kaijutsu.About("stale", fmt.Errorf("meta of %d bytes with its marks: at most %d: %w", len(text), maxMetaBytes, kaijutsu.ErrTooLarge))
}
