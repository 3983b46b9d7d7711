package drift

import (
	"fmt"
	"unicode/utf8"

	"kaijutsu"
)

// check returns what is wrong with a meta, whoever made it.
func (m Meta) check() error {
	texts := []struct {
		field, text string
		max         int
	}{
		{"source_kernel", m.SourceKernel, maxNameBytes},
		{"source_context", m.SourceContext, maxIDBytes},
		{"source_title", m.SourceTitle, maxTitleBytes},
		{"model", m.Model, maxNameBytes},
		{"finding", m.Finding, headDigits},
		{"distiller", m.Distiller, maxNameBytes},
	}
	for _, t := range texts {
		if err := checkText(t.field, t.text, t.max); err != nil {
			return err
		}
	}
	if m.Kind != "" {
		if _, err := ParseKind(string(m.Kind)); err != nil {
			return err
		}
	}
	if m.Number > maxNumber {
		return kaijutsu.About("number", fmt.Errorf("number %d: at most %d: %w", m.Number, uint64(maxNumber), kaijutsu.ErrTooLarge))
	}
	if m.DriftID != "" {
		if id, err := ParseID(m.DriftID); err != nil || id != m.DriftID {
			return kaijutsu.About("drift_id", fmt.Errorf("drift_id %.64q: want a UUID in lower case: %w", m.DriftID, kaijutsu.ErrInvalid))
		}
	}
	if !m.Principal.IsZero() || m.Principal.Kind != "" {
		if why := wrongPrincipal(m.Principal); why != "" {
			return kaijutsu.About("principal", fmt.Errorf("principal: %s: %w", why, kaijutsu.ErrInvalid))
		}
	}
	switch m.Act {
	case "", ActAsked, ActGranted, ActDeclined, ActPending:
	default:
		return kaijutsu.About("act", fmt.Errorf("act %.64q: want asked, granted, declined or pending: %w", m.Act, kaijutsu.ErrInvalid))
	}
	if err := checkHashes("heads", m.Heads); err != nil {
		return err
	}
	if err := checkCount("chain", len(m.Chain), maxChain); err != nil {
		return err
	}
	for i, passed := range m.Chain {
		if err := checkText(fmt.Sprintf("chain[%d]", i), passed, maxChainBytes); err != nil {
			return err
		}
	}
	if err := checkCitations(m.Citations); err != nil {
		return err
	}
	return checkMarks(m.Stale)
}

func checkCitations(citations []Citation) error {
	if err := checkCount("citations", len(citations), maxCitations); err != nil {
		return err
	}
	seen := make(map[int]bool, len(citations))
	for i, c := range citations {
		field := fmt.Sprintf("citations[%d]", i)
		if c.Ref < 1 || c.Ref > maxRef || seen[c.Ref] {
			return kaijutsu.About(field, fmt.Errorf("%s: ref %d: want each number once, from 1 to %d: %w", field, c.Ref, maxRef, kaijutsu.ErrInvalid))
		}
		seen[c.Ref] = true
		if err := c.Handle.Check(); err != nil {
			return kaijutsu.About(field, fmt.Errorf("%s: %w", field, err))
		}
		if n := utf8.RuneCountInString(c.Quote); n > MaxQuote || !utf8.ValidString(c.Quote) {
			return kaijutsu.About(field, fmt.Errorf("%s: quote of %d characters: want at most %d of UTF-8: %w", field, n, MaxQuote, kaijutsu.ErrInvalid))
		}
	}
	return nil
}

func checkMarks(marks []Mark) error {
	if err := checkCount("stale", len(marks), maxCitations); err != nil {
		return err
	}
	for i, s := range marks {
		field := fmt.Sprintf("stale[%d]", i)
		if s.Ref < 1 || s.Ref > maxRef {
			return kaijutsu.About(field, fmt.Errorf("%s: ref %d: want the number of a citation: %w", field, s.Ref, kaijutsu.ErrInvalid))
		}
		switch s.Reason {
		case ReasonChanged, ReasonDeleted, ReasonContextDeleted:
		default:
			return kaijutsu.About(field, fmt.Errorf("%s: reason %.64q: want changed, deleted or context deleted: %w", field, s.Reason, kaijutsu.ErrInvalid))
		}
		if err := checkText(field+".diff", s.Diff, MaxDiff); err != nil {
			return err
		}
		if err := checkHashes(field+".heads", s.Heads); err != nil {
			return err
		}
	}
	return nil
}

// checkHashes wants full change hashes.
func checkHashes(field string, heads []string) error {
	if err := checkCount(field, len(heads), maxHandleHeads); err != nil {
		return err
	}
	for i, head := range heads {
		if len(head) != headDigits || !isHex(head) {
			return kaijutsu.About(field, fmt.Errorf("%s[%d] %.80q: want %d hexadecimal digits: %w", field, i, head, headDigits, kaijutsu.ErrInvalid))
		}
	}
	return nil
}

func checkText(field, s string, max int) error {
	if len(s) > max {
		return kaijutsu.About(field, fmt.Errorf("%s of %d bytes: at most %d: %w", field, len(s), max, kaijutsu.ErrTooLarge))
	}
	if !utf8.ValidString(s) {
		return kaijutsu.About(field, fmt.Errorf("%s is not UTF-8: %w", field, kaijutsu.ErrInvalid))
	}
	return nil
}

func checkCount(field string, n, most int) error {
	if n > most {
		return kaijutsu.About(field, fmt.Errorf("%d %s: at most %d: %w", n, field, most, kaijutsu.ErrTooLarge))
	}
	return nil
}
