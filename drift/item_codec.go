package drift

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"kaijutsu"
)

// MaxItemBytes bounds an encoded item: in JSON a byte of content takes up to
// six.
const MaxItemBytes = 6*MaxContent + 128<<10

const (
	itemVersion   = 1
	maxErrorBytes = 2 << 10
	maxFailures   = 1 << 20
	maxDocBytes   = 64
	maxYear       = 9998 // in any time zone, RFC 3339 can write it
)

// itemRow is an item as the records hold it.
type itemRow struct {
	V         int             `json:"v"`
	ID        string          `json:"id"`
	Number    uint64          `json:"number,omitempty"`
	Via       string          `json:"via,omitempty"`
	From      string          `json:"from,omitempty"`
	Target    string          `json:"target,omitempty"`
	ToKernel  string          `json:"to_kernel,omitempty"`
	To        string          `json:"to,omitempty"`
	Content   string          `json:"content"`
	Meta      json.RawMessage `json:"meta"`
	By        whoRow          `json:"by"`
	At        time.Time       `json:"at"`
	State     State           `json:"state"`
	Failures  int             `json:"failures,omitempty"`
	LastError string          `json:"last_error,omitempty"`
	Tried     time.Time       `json:"tried,omitzero"`
}

var itemKeys = []string{
	"v", "id", "number", "via", "from", "target", "to_kernel", "to", "content", "meta", "by", "at", "state", "failures",
	"last_error", "tried",
}

// EncodeItem returns an item as the records hold it, at most MaxItemBytes. A
// long LastError is cut; times are kept in UTC. The error wraps
// kaijutsu.ErrInvalid or kaijutsu.ErrTooLarge and names the field.
func EncodeItem(it Item) ([]byte, error) {
	it.LastError = cutBytes(strings.ToValidUTF8(it.LastError, "\uFFFD"), maxErrorBytes)
	if err := it.check(); err != nil {
		return nil, fmt.Errorf("encode drift %.64s: %w", it.ID, err)
	}
	meta, err := it.Meta.Encode("")
	if err != nil {
		return nil, fmt.Errorf("encode drift %s: %w", it.ID, err)
	}
	row := itemRow{
		V: itemVersion, ID: it.ID, Number: it.Number, Via: it.Via, ToKernel: it.ToKernel, To: it.To, Content: it.Content,
		Meta: json.RawMessage(meta), By: whoRow{it.By.Name, it.By.Kind}, At: it.At.UTC(), State: it.State, Failures: it.Failures,
		LastError: it.LastError,
	}
	if !it.From.IsZero() {
		row.From = it.From.String()
	}
	if !it.Target.IsZero() {
		row.Target = it.Target.String()
	}
	if !it.Tried.IsZero() {
		row.Tried = it.Tried.UTC()
	}
	b, err := marshal(row)
	if err == nil && len(b) > MaxItemBytes {
		err = kaijutsu.About("content", fmt.Errorf("%d bytes: at most %d: %w", len(b), MaxItemBytes, kaijutsu.ErrTooLarge))
	}
	if err != nil {
		return nil, fmt.Errorf("encode drift %s: %w", it.ID, err)
	}
	return b, nil
}

// DecodeItem reads what EncodeItem returned, in this version or an older one.
// Nothing in it is passed over. The error wraps kaijutsu.ErrInvalid or
// kaijutsu.ErrTooLarge and names the field.
func DecodeItem(b []byte) (Item, error) {
	if len(b) > MaxItemBytes {
		return Item{}, fmt.Errorf("read a drift of %d bytes: at most %d: %w", len(b), MaxItemBytes, kaijutsu.ErrTooLarge)
	}
	o, err := parseObject(b)
	if err != nil {
		return Item{}, fmt.Errorf("read a drift: %w", err)
	}
	if v := o.number("v", 1<<31); *o.bad == nil && v != itemVersion {
		return Item{}, kaijutsu.About("v", fmt.Errorf("read a drift: it is of version %d, this server reads %d: %w: a newer one has written it; run that",
			v, itemVersion, kaijutsu.ErrInvalid))
	}
	it := o.item()
	err = *o.bad
	if err == nil {
		err = it.check()
	}
	if err != nil {
		return Item{}, fmt.Errorf("read drift %.64q: %w", it.ID, err)
	}
	return it, nil
}

func (o object) item() Item {
	o.only(itemKeys...)
	it := Item{
		ID: o.text("id", uuidChars), Number: o.number("number", maxNumber), Via: o.text("via", maxNameBytes), From: o.document("from"),
		Target: o.document("target"), ToKernel: o.text("to_kernel", maxNameBytes), To: o.text("to", maxAddressBytes),
		Content: o.text("content", MaxContent), By: o.principal("by"), At: o.time("at"), State: State(o.text("state", maxNameBytes)),
		Failures: int(o.number("failures", maxFailures)), LastError: o.text("last_error", maxErrorBytes), Tried: o.time("tried"),
	}
	if in, ok := o.object("meta"); ok {
		in.only(metaKeys...)
		it.Meta = in.meta()
	}
	return it
}

// document reads the id of a document; zero, if the key is absent.
func (o object) document(key string) kaijutsu.DocumentID {
	s := o.text(key, maxDocBytes)
	if s == "" {
		return kaijutsu.DocumentID{}
	}
	doc, err := kaijutsu.ParseDocumentID(s)
	if err != nil {
		o.refuse(key, kaijutsu.ErrInvalid, "%v", err)
	}
	return doc
}

// check returns what is wrong with an item, whoever made it.
func (it Item) check() error {
	id, err := ParseID(it.ID)
	if err != nil {
		return err
	}
	invalid := func(field, format string, args ...any) error {
		return kaijutsu.About(field, fmt.Errorf("%s: %s: %w", field, fmt.Sprintf(format, args...), kaijutsu.ErrInvalid))
	}
	switch {
	case id != it.ID:
		return invalid("id", "%q: want it in lower case", it.ID)
	case it.Target.IsZero() == (it.ToKernel == ""):
		return invalid("target", "want either a context of this kernel or another kernel's name")
	case (it.ToKernel == "") != (it.To == ""):
		return invalid("to", "want the address on the other kernel, and only there")
	case it.ToKernel != "" && !isKernelName(it.ToKernel):
		return invalid("to_kernel", "%.64q: want a kernel's name: a to z, 0 to 9 and -", it.ToKernel)
	case it.Via != "" && !isKernelName(it.Via):
		return invalid("via", "%.64q: want a kernel's name: a to z, 0 to 9 and -", it.Via)
	case (it.Via == "") == it.From.IsZero():
		return invalid("from", "want the source context, and none of what came from another kernel")
	case it.Content == "" || !utf8.ValidString(it.Content):
		return invalid("content", "want a text of UTF-8")
	case len(it.Content) > MaxContent:
		return kaijutsu.About("content", fmt.Errorf("content of %d bytes: at most %d: summarize it, or push it in parts: %w", len(it.Content), MaxContent, kaijutsu.ErrTooLarge))
	case !it.State.Kept():
		return invalid("state", "%.64q: want staged, dead, held or offered", it.State)
	case it.Number > maxNumber:
		return invalid("number", "%d: want at most %d", it.Number, uint64(maxNumber))
	case it.At.UTC().Year() < 1 || it.At.UTC().Year() > maxYear || it.At.IsZero():
		return invalid("at", "want the time at which it was staged")
	case it.Failures < 0 || it.Failures > maxFailures:
		return invalid("failures", "%d: want 0 to %d", it.Failures, maxFailures)
	}
	if why := wrongPrincipal(it.By); why != "" {
		return invalid("by", "%s", why)
	}
	if err := checkText("to", it.To, maxAddressBytes); err != nil {
		return err
	}
	return it.Meta.check()
}
