package drift

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"kaijutsu"
)

// The bounds of a meta. maxMetaBytes is that of any block's.
const (
	maxMetaBytes  = 64 << 10
	maxTitleBytes = 4 << 10
	maxNameBytes  = 160 // of principals, models and distillers; principals of ours have at most 64
	maxIDBytes    = 128
	maxCitations  = 128
	maxChain      = 64
	maxChainBytes = maxNameBytes + maxIDBytes
	maxRef        = 1 << 20
	maxNumber     = 1<<53 - 1 // which JavaScript reads exactly
)

// metaKeys are the keys that are ours.
var metaKeys = []string{
	"source_kernel", "source_context", "source_title", "heads", "model", "drift_kind", "principal", "drift_id", "number",
	"citations", "chain", "finding", "act", "distiller", "stale",
}

// metaRow has its keys in the order in which a map has them.
type metaRow struct {
	Act           string        `json:"act,omitempty"`
	Chain         []string      `json:"chain,omitempty"`
	Citations     []citationRow `json:"citations,omitempty"`
	Distiller     string        `json:"distiller,omitempty"`
	DriftID       string        `json:"drift_id,omitempty"`
	Kind          Kind          `json:"drift_kind,omitempty"`
	Finding       string        `json:"finding,omitempty"`
	Heads         []string      `json:"heads,omitempty"`
	Model         string        `json:"model,omitempty"`
	Number        uint64        `json:"number,omitempty"`
	Principal     *whoRow       `json:"principal,omitempty"`
	SourceContext string        `json:"source_context,omitempty"`
	SourceKernel  string        `json:"source_kernel,omitempty"`
	SourceTitle   string        `json:"source_title,omitempty"`
	Stale         []markRow     `json:"stale,omitempty"`
}

type whoRow struct {
	Name string                 `json:"name"`
	Kind kaijutsu.PrincipalKind `json:"kind"`
}

type citationRow struct {
	Ref    int    `json:"ref"`
	Handle string `json:"handle"`
	Quote  string `json:"quote,omitempty"`
}

type markRow struct {
	Ref    int      `json:"ref"`
	Reason string   `json:"reason"`
	Diff   string   `json:"diff,omitempty"`
	Heads  []string `json:"heads,omitempty"`
}

// Encode returns the meta as a JSON object. The keys of keep, the object that a
// block has already or "", stay where they are not ours. Where it would exceed
// the 64 KiB of a meta, the diffs of marks are shortened, and then the quotes:
// both can be had again by the handles. The error wraps kaijutsu.ErrInvalid, or
// kaijutsu.ErrTooLarge when it is too long all the same, and names the field.
func (m Meta) Encode(keep string) (string, error) {
	row := m.row()
	if err := m.check(); err != nil {
		return "", err
	}
	kept, err := keptKeys(keep)
	if err != nil {
		return "", err
	}
	for _, key := range metaKeys {
		delete(kept, key)
	}
	var text string
	for _, cut := range cuts {
		cut.apply(&row)
		if text, err = join(kept, row); err != nil || len(text) <= maxMetaBytes {
			return text, err
		}
	}
	return "", kaijutsu.About("meta", fmt.Errorf("meta of %d bytes: at most %d: cite or keep less: %w", len(text), maxMetaBytes, kaijutsu.ErrTooLarge))
}

// ParseMeta reads the meta of a block. Keys that are not ours are passed over,
// ours must be of their types and in their bounds. It returns false for what is
// no such object; Kind is empty in that of a block which is no drift.
func ParseMeta(s string) (Meta, bool) {
	if s == "" || len(s) > maxMetaBytes {
		return Meta{}, false
	}
	o, err := parseObject([]byte(s))
	if err != nil {
		return Meta{}, false
	}
	m := o.meta()
	if *o.bad != nil || m.check() != nil {
		return Meta{}, false
	}
	return m, true
}

// meta reads the keys that are ours.
func (o object) meta() Meta {
	m := Meta{
		SourceKernel: o.text("source_kernel", maxNameBytes), SourceContext: o.text("source_context", maxIDBytes),
		SourceTitle: o.text("source_title", maxTitleBytes), Heads: o.texts("heads", maxHandleHeads, headDigits),
		Model: o.text("model", maxNameBytes), Kind: Kind(o.text("drift_kind", maxNameBytes)), Principal: o.principal("principal"),
		DriftID: o.text("drift_id", uuidChars), Number: o.number("number", maxNumber), Chain: o.texts("chain", maxChain, maxChainBytes),
		Finding: o.text("finding", headDigits), Act: o.text("act", maxNameBytes), Distiller: o.text("distiller", maxNameBytes),
	}
	for _, in := range o.objects("citations", maxCitations) {
		m.Citations = append(m.Citations, in.citation())
	}
	for _, in := range o.objects("stale", maxCitations) {
		m.Stale = append(m.Stale, in.mark())
	}
	return m
}

func (o object) citation() Citation {
	c := Citation{Ref: int(o.number("ref", maxRef)), Quote: o.text("quote", MaxQuote*utf8.UTFMax)}
	var err error
	if c.Handle, err = ParseHandle(o.text("handle", maxHandleBytes)); err != nil {
		o.refuse("handle", kaijutsu.ErrInvalid, "%v", err)
	}
	return c
}

func (o object) mark() Mark {
	return Mark{
		Ref: int(o.number("ref", maxRef)), Reason: o.text("reason", maxNameBytes), Diff: o.text("diff", MaxDiff),
		Heads: o.texts("heads", maxHandleHeads, headDigits),
	}
}

func (m Meta) row() metaRow {
	row := metaRow{
		SourceKernel: m.SourceKernel, SourceContext: m.SourceContext, SourceTitle: m.SourceTitle, Heads: m.Heads, Model: m.Model,
		Kind: m.Kind, DriftID: m.DriftID, Number: m.Number, Chain: m.Chain, Finding: m.Finding, Act: m.Act, Distiller: m.Distiller,
	}
	if !m.Principal.IsZero() {
		row.Principal = &whoRow{m.Principal.Name, m.Principal.Kind}
	}
	for _, c := range m.Citations {
		row.Citations = append(row.Citations, citationRow{c.Ref, c.Handle.String(), c.Quote})
	}
	row.Stale = markRows(m.Stale)
	return row
}

func markRows(marks []Mark) []markRow {
	var rows []markRow
	for _, s := range marks {
		rows = append(rows, markRow(s))
	}
	return rows
}

// keptKeys takes a meta that a block has already apart.
func keptKeys(meta string) (map[string]json.RawMessage, error) {
	if meta == "" {
		return map[string]json.RawMessage{}, nil
	}
	if len(meta) > maxMetaBytes {
		return nil, kaijutsu.About("meta", fmt.Errorf("meta of %d bytes: at most %d: %w", len(meta), maxMetaBytes, kaijutsu.ErrTooLarge))
	}
	o, err := parseObject([]byte(meta))
	if err != nil {
		return nil, kaijutsu.About("meta", fmt.Errorf("meta: %w", err))
	}
	return o.keys, nil
}

// join writes kept keys and a row as one object, its keys sorted.
func join(kept map[string]json.RawMessage, row any) (string, error) {
	own, err := marshal(row)
	if err != nil || len(kept) == 0 {
		return string(own), err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(own, &all); err != nil {
		return "", err
	}
	for key, value := range kept {
		all[key] = value
	}
	text, err := marshal(all)
	return string(text), err
}

// marshal is json.Marshal that leaves <, > and & as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// cut bounds what may be shortened.
type cut struct{ diff, quote int }

// cuts are tried in this order until a meta fits.
var cuts = []cut{{MaxDiff, MaxQuote}, {1 << 10, MaxQuote}, {256, MaxQuote}, {0, MaxQuote}, {0, 80}, {0, 0}}

func (c cut) apply(row *metaRow) {
	for i := range row.Stale {
		row.Stale[i].Diff = cutDiff(row.Stale[i].Diff, c.diff)
	}
	for i := range row.Citations {
		row.Citations[i].Quote = shorten(row.Citations[i].Quote, c.quote)
	}
}
