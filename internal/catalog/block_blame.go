package catalog

import (
	"context"
	"strings"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

type blockBlameIn struct {
	onBlock
	atMoment
	By   string `json:"by,omitempty" jsonschema:"characters: runs of characters of one change. lines: for each line who wrote it last." rule:"enum=characters|lines,default=characters"`
	Text bool   `json:"text,omitempty" jsonschema:"Return the text of each run too." rule:"default=true"`
}

type blameRun struct {
	Start  int    `json:"start" jsonschema:"Where it begins, in code points."`
	Len    int    `json:"len" jsonschema:"How many code points it is long."`
	Line   *int   `json:"line,omitempty" jsonschema:"By lines: the line, from 0."`
	Text   string `json:"text,omitempty"`
	Author string `json:"author" jsonschema:"The name of the principal, or the actor id when nobody is on record."`
	Via    string `json:"via,omitempty"`
	Actor  string `json:"actor"`
	Change string `json:"change"`
	Time   string `json:"time" jsonschema:"What the author's clock showed."`
}

type blockBlameOut struct {
	Block   string     `json:"block_id"`
	Context string     `json:"context"`
	Version uint64     `json:"version"`
	Heads   []string   `json:"heads"`
	Runs    []blameRun `json:"runs" jsonschema:"In order; together they are the whole content."`
}

func (o *operations) blockBlame() *op.Op {
	return define(o, op.Spec{
		Name: "block_blame", Title: "Blame a block", Args: []string{"block_id"},
		Summary: "Say who wrote each character of a block, or each line, now or as it was",
		Description: "What is not there any more is blamed on nobody. Text of a record that became a text is still its author's. " +
			"By lines, the newest change in a line counts.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("block_blame"),
	}, o.blameBlock)
}

func (o *operations) blameBlock(ctx context.Context, c op.Call, in blockBlameIn) (out blockBlameOut, err error) {
	err = o.read(ctx, c, in.onBlock, func(v repo.View, doc kaijutsu.DocumentID, id blocks.ID) error {
		s, err := stateAt(v, "at", in.At)
		if err != nil {
			return err
		}
		b, ok := s.model.Block(id)
		if !ok {
			return noBlock(id, doc)
		}
		runs, err := s.model.Blame(id, v.Log())
		if err != nil {
			return err
		}
		out = blockBlameOut{Block: string(id), Context: doc.Name(), Version: s.version, Heads: s.heads.Texts(), Runs: []blameRun{}}
		if in.By == "lines" {
			runs = lineRuns(v, b.Content, runs)
		}
		rest := b.Content
		for i, r := range runs {
			out.Runs = append(out.Runs, blameRunOf(v, r))
			at := &out.Runs[i]
			if in.By == "lines" {
				at.Line = &i
			}
			var text string
			text, rest = cutRunes(rest, r.Len)
			if in.Text {
				at.Text = text
			}
		}
		return nil
	})
	return out, err
}

// blameRunOf shows who wrote a run.
func blameRunOf(v repo.View, r blocks.Run) blameRun {
	out := blameRun{Start: r.Start, Len: r.Len, Actor: r.Actor.String(), Change: r.Change.String(), Time: timeText(r.Time)}
	out.Author, out.Via = authorOf(v, r.Actor)
	return out
}

// lineRuns returns a run for each line, by the newest change in it: the one
// that comes last in the log.
func lineRuns(v repo.View, content string, runs []blocks.Run) []blocks.Run {
	log := v.Log()
	var out []blocks.Run
	var newest int
	at, next := 0, 0 // the position, the run that holds it
	for rest := content; rest != ""; {
		line := rest
		if end := strings.IndexByte(rest, '\n'); end >= 0 {
			line = rest[:end+1]
		}
		rest = rest[len(line):]
		end := at + utf8.RuneCountInString(line)
		best := blocks.Run{Start: at, Len: end - at}
		newest = -1
		for next < len(runs) {
			r := runs[next]
			if k, _ := log.Index(r.Change); k > newest {
				newest, best.Actor, best.Change, best.Time = k, r.Actor, r.Change, r.Time
			}
			if r.Start+r.Len > end {
				break
			}
			if next++; r.Start+r.Len == end {
				break
			}
		}
		out = append(out, best)
		at = end
	}
	return out
}

// cutRunes cuts a text behind its first n code points.
func cutRunes(text string, n int) (head, rest string) {
	at := 0
	for range n {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return text[:at], text[at:]
}
