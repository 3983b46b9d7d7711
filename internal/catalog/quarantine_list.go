package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
	"kaijutsu/internal/quarantine"
)

type quarantineListIn struct {
	Document string `json:"document,omitempty" jsonschema:"Only this document: a context id, or a document id as editors have it." rule:"maxlen=64"`
	Refused  bool   `json:"refused,omitempty" jsonschema:"Also the last changes that broke the rules, and so were refused before anybody worked on them."`
}

type quarantineRow struct {
	Document string `json:"document" jsonschema:"As editors have it."`
	Context  string `json:"context,omitempty" jsonschema:"The id of the context, when it is one."`
	Change   string `json:"change,omitempty" jsonschema:"The hash of the change. Absent: the document as a whole."`
	Bytes    int    `json:"bytes" jsonschema:"The size of the change; as much as 1 MiB of it is kept."`
	By       string `json:"by,omitempty" jsonschema:"Who brought it."`
	ByKind   string `json:"by_kind,omitempty" jsonschema:"person, agent or service."`
	At       string `json:"at"`
	Kind     string `json:"kind" jsonschema:"What went wrong: panic, time, memory, death (of the process), invalid; refused: a rule was broken."`
	Why      string `json:"why"`
	ReadOnly bool   `json:"read_only,omitempty" jsonschema:"The change is on disk: its document is served to editors, and not changed."`
	Closed   bool   `json:"closed,omitempty" jsonschema:"The document cannot be opened."`
}

type quarantineListOut struct {
	Entries []quarantineRow `json:"entries" jsonschema:"The oldest first."`
	Refused int64           `json:"refused" jsonschema:"How many changes broke the rules since the start."`
}

func (o *operations) quarantineList() *op.Op {
	return define(o, op.Spec{
		Name: "quarantine_list", Title: "List the quarantine", Command: []string{"quarantine", "ls"}, Args: []string{"document"},
		Summary: "List the changes that are refused because working on them went wrong",
		Description: "Each is refused by its hash, whoever brings it. When it is on disk already, its document is read-only: editors get and keep what is there, " +
			"and nobody changes it, until an examination goes well. kj doctor says what to do.",
		Scope: op.OnKernel, Right: kaijutsu.RightOwn, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("quarantine_list"),
	}, o.listQuarantine)
}

func (o *operations) listQuarantine(_ context.Context, _ op.Call, in quarantineListIn) (quarantineListOut, error) {
	out := quarantineListOut{Entries: []quarantineRow{}}
	only, err := documentIn(in.Document)
	if err != nil {
		return out, err
	}
	_, out.Refused = o.parts.Quarantine.Count()
	for _, e := range o.parts.Quarantine.Entries() {
		if (only.IsZero() || e.Document == only) && (in.Refused || e.Kind != quarantine.Refused) {
			out.Entries = append(out.Entries, quarantineRowOf(e))
		}
	}
	return out, nil
}

// documentIn reads a parameter that names a document; "" is the zero id.
func documentIn(text string) (kaijutsu.DocumentID, error) {
	if text == "" {
		return kaijutsu.DocumentID{}, nil
	}
	if cid, err := kaijutsu.ParseContextID(text); err == nil {
		return cid.Document(), nil
	}
	id, err := kaijutsu.ParseDocumentID(text)
	if err != nil {
		return id, kaijutsu.About("document", err)
	}
	return id, nil
}

func quarantineRowOf(e quarantine.Entry) quarantineRow {
	row := quarantineRow{
		Document: e.Document.String(), Bytes: e.Bytes, By: e.By.Name, ByKind: string(e.By.Kind), At: timeText(e.At),
		Kind: e.Kind, Why: e.Why, ReadOnly: e.ReadOnly, Closed: e.Closed,
	}
	if name := e.Document.Name(); name != row.Document {
		row.Context = name
	}
	if e.Change != (kaijutsu.ChangeHash{}) {
		row.Change = e.Change.String()
	}
	return row
}
