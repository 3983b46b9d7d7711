package repo

import (
	"fmt"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
)

// LineBy is a line of a block and who wrote it last. By is zero when the actor
// is not on record, or came Via a relay or an import.
type LineBy struct {
	By, Via    kaijutsu.Principal
	Actor      kaijutsu.ActorID
	Change     kaijutsu.ChangeHash
	Message    string    // of the change
	Time       time.Time // of the author's clock, in whole seconds
	Start, Len int       // code points, without the line feed
}

// Lines says of each line of a block who wrote it last, as blocks.Model.Lines
// tells it. The error wraps kaijutsu.ErrNotFound when there is no such block.
func (v View) Lines(id blocks.ID) ([]LineBy, error) {
	lines, err := v.doc.model.Lines(id, v.Log())
	if err != nil {
		return nil, fmt.Errorf("document %s: %w", v.doc.id, err)
	}
	messages := make(map[kaijutsu.ChangeHash]string)
	out := make([]LineBy, len(lines))
	for i, l := range lines {
		message, ok := messages[l.Change]
		if !ok {
			if message, err = v.messageOf(l.Change); err != nil {
				return nil, fmt.Errorf("document %s: %w", v.doc.id, err)
			}
			messages[l.Change] = message
		}
		by, via := v.Principal(l.Actor)
		out[i] = LineBy{by, via, l.Actor, l.Change, message, l.Time, l.Start, l.Len}
	}
	return out, nil
}

func (v View) messageOf(h kaijutsu.ChangeHash) (string, error) {
	i, ok := v.Log().Index(h)
	if !ok {
		return "", fmt.Errorf("change %v: %w", h, kaijutsu.ErrNotFound)
	}
	header, err := v.Log().Header(i)
	if err != nil {
		return "", fmt.Errorf("read change %d: %w", i, err)
	}
	return header.Message, nil
}

// SurvivingSince counts the code points of a block that show and were written
// since these heads, by who wrote them; of no heads, all that show. The zero
// principal wrote what came from actors that are not on record. The error wraps
// kaijutsu.ErrNotFound when the document does not hold one of the heads, or
// there is no such block.
func (v View) SurvivingSince(id blocks.ID, heads kaijutsu.Heads) (map[kaijutsu.Principal]int, error) {
	if len(heads) > 0 {
		var err error
		if heads, err = v.doc.known(heads); err != nil {
			return nil, err
		}
	}
	runs, err := v.doc.model.Since(id, v.doc.graph.AncestryOf(heads), v.Log())
	if err != nil {
		return nil, fmt.Errorf("document %s: %w", v.doc.id, err)
	}
	out := make(map[kaijutsu.Principal]int)
	for _, r := range runs {
		by, _ := v.Principal(r.Actor)
		out[by] += r.Len
	}
	return out, nil
}
