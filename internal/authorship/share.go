package authorship

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
)

// Changed is a file block and the heads of the document at which its text was
// what the commit is made on; none: all of it is new.
type Changed struct {
	Block     blocks.ID
	BaseHeads kaijutsu.Heads
}

// Share is how much of a change is somebody's.
type Share struct {
	By    kaijutsu.Principal // zero: nobody on record
	Chars int                // code points that were written since the base and are still there
}

// Shares counts who wrote how much of the changes of some blocks, as the
// document is now: the most first, then by name; services, and what nobody on
// record wrote, come last. Who only deleted has no share. The error wraps
// kaijutsu.ErrNotFound for a block or heads that the document does not hold.
func (b *Book) Shares(ctx context.Context, doc kaijutsu.DocumentID, files []Changed) ([]Share, error) {
	var chars map[kaijutsu.Principal]int
	err := b.cfg.Repo.View(ctx, doc, func(v repo.View) error {
		chars = make(map[kaijutsu.Principal]int)
		for _, f := range files {
			some, err := v.SurvivingSince(f.Block, f.BaseHeads)
			if err != nil {
				return err
			}
			for by, n := range some {
				chars[by] += n
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("count who wrote how much: %w", err)
	}
	out := make([]Share, 0, len(chars))
	for by, n := range chars {
		if n > 0 {
			out = append(out, Share{by, n})
		}
	}
	slices.SortFunc(out, func(a, b Share) int {
		return cmp.Or(rank(a.By)-rank(b.By), b.Chars-a.Chars, strings.Compare(a.By.Name, b.By.Name), strings.Compare(string(a.By.Kind), string(b.By.Kind)))
	})
	return out, nil
}

// rank puts those who may author a commit before services, and these before
// nobody.
func rank(by kaijutsu.Principal) int {
	switch {
	case authors(by):
		return 0
	case !by.IsZero():
		return 1
	}
	return 2
}

// authors reports whether a principal may author a commit.
func authors(by kaijutsu.Principal) bool { return !by.IsZero() && by.Kind != kaijutsu.Service }
