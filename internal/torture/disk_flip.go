package torture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/internal/faultfs"
)

// flipBits turns one bit round in a copy of a data directory, starts a server on
// it, and looks for everything that was acknowledged. It is there; or the server
// says that something is damaged: it refuses to start, or to give a context.
// Less without a word is a problem, and so is a server that falls over.
//
// It needs no file system of ours.
func flipBits(ctx context.Context, s *stage, opt Options, r *Report) error {
	d := &disk{s: s, r: r, d: &DiskReport{Points: make(map[string]int)}, point: s.dir}
	r.Disk, r.Nodes = d.d, 1
	image := d.server("image")
	if err := d.fillImage(ctx, image); err != nil {
		return err
	}
	sorts, err := sortsOf(image.dir)
	if err != nil {
		return err
	}
	s.say("  %d sorts of files: %s", len(sorts), strings.Join(sorts, " "))
	for round := range opt.Rounds {
		if err := d.flipRound(ctx, image.dir, round, sorts[round%len(sorts)]); err != nil {
			return fmt.Errorf("round %d: %w", round+1, err)
		}
		if (round+1)%diskSay == 0 {
			s.say("  round %d of %d: %d problems", round+1, opt.Rounds, len(r.Problems))
		}
	}
	d.d.sum(s.ledger, r)
	return nil
}

// fillImage lets two lives write, the first of which is killed: there are tables
// and a log.
func (d *disk) fillImage(ctx context.Context, n *node) error {
	d.n = n
	d.s.nodes = append(d.s.nodes, n)
	for i := range 3 {
		l := d.newLife(n)
		if _, err := l.start(ctx); err != nil {
			return err
		}
		if i == 0 {
			if err := d.renew(ctx); err != nil {
				return err
			}
		}
		if err := l.load(ctx, 2*time.Second); err != nil {
			return err
		}
		if err := l.finish(ctx); err != nil {
			return err
		}
	}
	return nil
}

// sortsOf returns the sorts of files below a directory that are not empty, with
// * for each number.
func sortsOf(dir string) (sorts []string, err error) {
	err = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		info, err := e.Info()
		if sort := strings.ReplaceAll(sortOf(rel), "N", "*"); err == nil && info.Size() > 0 && !slices.Contains(sorts, sort) {
			sorts = append(sorts, sort)
		}
		return err
	})
	slices.Sort(sorts)
	return sorts, err
}

func (d *disk) flipRound(ctx context.Context, image string, round int, sort string) error {
	n := d.server(fmt.Sprintf("flipped-%d", round))
	if out, err := exec.CommandContext(ctx, "cp", "-a", "--sparse=always", image, n.dir).CombinedOutput(); err != nil {
		return fmt.Errorf("copy the data directory: %w: %s", err, out)
	}
	defer os.RemoveAll(n.dir)
	where, err := faultfs.Flip(n.dir, d.s.random, sort)
	if errors.Is(err, kaijutsu.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	d.d.Points[sort]++
	l := d.newLife(n)
	outcome := d.flipped(ctx, l, where)
	n.kill()
	checkLog(d.r, "with "+where.String(), n.log())
	d.d.came(outcome + ": " + sort)
	return context.Cause(ctx)
}

// words with which a server says that its files are not what they were.
var damageWords = []string{"damage", "checksum", "data loss", "does not match", "corrupt", "not a store"}

func saysDamage(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(damageWords, func(w string) bool { return strings.Contains(text, w) })
}

// flipped starts a server on files with a wrong bit and says what came of it.
func (d *disk) flipped(ctx context.Context, l *life, where faultfs.Flipped) string {
	began := time.Now()
	if err := l.n.start(ctx); err != nil {
		if why := firstFall(err.Error()); why != "" {
			d.r.problem("%s: the server fell over at its start: %.300s", where, why)
			return "fell over"
		}
		if !saysDamage(err.Error()) {
			d.r.problem("%s: the server does not start and does not say that something is damaged: %.300v", where, err)
		}
		return "refused to start"
	}
	d.d.opened(time.Since(began))
	outcome := "all is there"
	for _, t := range d.s.targets {
		said, err := d.flippedContext(ctx, l, t)
		switch {
		case err != nil && saysDamage(err.Error()):
			outcome = "said what is damaged"
		case err != nil:
			d.r.problem("%s: context %s: %.300v", where, t.id, err)
			outcome = "an error that does not say what is wrong"
		case said != "":
			d.r.Lost["A"]++
			d.r.problem("%s: %s", where, said)
			outcome = "silently less"
		}
	}
	if err := l.n.alive(); err != nil {
		d.r.problem("%s: %.500v", where, err)
		return "fell over"
	}
	return outcome
}

// flippedContext looks for everything that was acknowledged of a context, in its
// changes and in its texts, and says what is missing.
func (d *disk) flippedContext(ctx context.Context, l *life, t *target) (string, error) {
	changes, err := l.n.api().export(ctx, t.doc)
	if err != nil {
		return "", err
	}
	d.d.Checks++
	have := make(map[kaijutsu.ChangeHash]struct{}, len(changes))
	for _, c := range changes {
		have[c.Hash] = struct{}{}
	}
	if lost, example := missing(d.s.ledger.acked[t.doc], have); lost > 0 {
		return fmt.Sprintf("context %s lacks %d acknowledged changes, such as %s", t.id, lost, example), nil
	}
	st, err := l.n.api().context(ctx, t.id)
	if err != nil {
		return "", err
	}
	var texts []string
	for _, b := range st.Blocks {
		texts = append(texts, b.Content)
	}
	if lost, doubled := countMarks(d.s.ledger.marks[t.doc], texts); lost > 0 || doubled > 0 {
		return fmt.Sprintf("context %s: %d acknowledged marks are missing in its texts and %d stand twice", t.id, lost, doubled), nil
	}
	return "", nil
}
