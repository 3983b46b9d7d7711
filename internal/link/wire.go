package link

import (
	"fmt"
	"slices"
	"strings"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/internal/op"
)

// Limits of an offer, beside drift.MaxContent.
const (
	maxHeads     = 256
	maxCitations = 256
	maxChain     = 256
)

// Offer is what a kernel sends another one with a drift: the parameters of the
// operation drift_offer.
type Offer struct {
	ID          string     `json:"id" jsonschema:"The drift's id, a UUID. Offered twice, it is delivered once."`
	Kernel      string     `json:"kernel" jsonschema:"The kernel that is meant; another one refuses."`
	FromKernel  string     `json:"from_kernel" jsonschema:"The kernel that offers." rule:"minlen=1,maxlen=32"`
	FromContext string     `json:"from_context,omitempty" jsonschema:"The context there that it comes from, a UUID."`
	Title       string     `json:"title,omitempty" jsonschema:"That context's title."`
	Heads       []string   `json:"heads,omitempty" jsonschema:"That context's heads then." rule:"maxitems=256"`
	To          string     `json:"to" jsonschema:"The address of a context here." rule:"minlen=1,maxlen=1024"`
	Content     string     `json:"content" jsonschema:"What is carried." rule:"minlen=1,maxlen=262144"`
	DriftKind   string     `json:"drift_kind" jsonschema:"What made it." rule:"enum=push|pull|distill|merge|commit"`
	Model       string     `json:"model,omitempty" jsonschema:"The model of that context, or the one that wrote the briefing." rule:"maxlen=256"`
	Principal   Who        `json:"principal" jsonschema:"Who sends it there. Here its author is the caller."`
	Citations   []Citation `json:"citations,omitempty" jsonschema:"What its claims rest on." rule:"maxitems=256"`
	Chain       []string   `json:"chain,omitempty" jsonschema:"Where it passed, oldest first: kernel:uuid." rule:"maxitems=256"`
	Distiller   string     `json:"distiller,omitempty" jsonschema:"Who made the text, if a distiller did." rule:"maxlen=256"`
	Act         bool       `json:"act,omitempty" jsonschema:"Whether the sender asks the receiver to act on it; the receiving kernel decides."`
}

// Who is a principal of the kernel that offers.
type Who struct {
	Name string `json:"name" rule:"minlen=1,maxlen=64"`
	Kind string `json:"kind" rule:"enum=person|agent|service"`
}

// Citation is a citation in an offer.
type Citation struct {
	Ref    int    `json:"ref" rule:"min=1"`
	Handle string `json:"handle" jsonschema:"kernel:context/block@heads#first-last" rule:"maxlen=8192"`
	Quote  string `json:"quote,omitempty" rule:"maxlen=1000"`
}

// Answer is what the other kernel says to an offer: the result of the operation
// drift_offer.
type Answer struct {
	Kernel  string `json:"kernel" jsonschema:"The kernel that answers."`
	State   string `json:"state" jsonschema:"delivered, held (it waits for somebody's consent) or refused."`
	Reason  string `json:"reason,omitempty" jsonschema:"Why it is held or refused."`
	BlockID string `json:"block_id,omitempty" jsonschema:"The block that it became."`
	Context string `json:"context,omitempty" jsonschema:"The context that it is for, a UUID."`
}

// The states of an answer.
const (
	Delivered = "delivered"
	Held      = "held"
	Refused   = "refused"
)

// offerOf returns what is sent of an item that leaves kernel own: whatever names
// a context of ours says whose it is.
func offerOf(it drift.Item, own, to string) Offer {
	m := it.Meta.Abroad(own)
	o := Offer{
		ID: it.ID, Kernel: to, FromKernel: own, FromContext: m.SourceContext, Title: m.SourceTitle, Heads: m.Heads,
		To: it.To, Content: it.Content, DriftKind: string(m.Kind), Model: m.Model,
		Principal: whoOf(it), Chain: slices.Clone(m.Chain),
		Distiller: m.Distiller, Act: m.Act != "",
	}
	if !isContext(o.FromContext) {
		o.FromContext = ""
		if !it.From.IsZero() {
			o.FromContext = it.From.Name()
		}
	}
	o.Chain = slices.DeleteFunc(o.Chain, func(p string) bool { return !isPlace(p) }) // what any editor wrote
	if here := own + ":" + o.FromContext; o.FromContext != "" && !slices.Contains(o.Chain, here) {
		o.Chain = append(o.Chain, here)
	}
	for _, c := range m.Citations {
		o.Citations = append(o.Citations, Citation{c.Ref, c.Handle.String(), c.Quote})
	}
	return o
}

// whoOf returns who sends an item.
func whoOf(it drift.Item) Who {
	by := it.By
	if by.IsZero() {
		by = it.Meta.Principal
	}
	return Who{by.Name, string(by.Kind)}
}

// Check refuses an offer that is meant for another kernel than this one, or
// comes from a kernel of its name. The error wraps kaijutsu.ErrConflict.
func (o Offer) Check(own string) error {
	switch {
	case o.Kernel != own:
		return fmt.Errorf("this is kernel %q and not %.64q: %w: the link that leads here has the wrong name or address", own, o.Kernel, kaijutsu.ErrConflict)
	case o.FromKernel == own:
		return fmt.Errorf("this is kernel %q too: %w: two kernels that know each other need two names", own, kaijutsu.ErrConflict)
	}
	return nil
}

// Item returns the drift that is offered, as the receiving kernel keeps it: To
// is the address here, Target and By are for who decides about it. The error
// wraps kaijutsu.ErrInvalid or ErrTooLarge and names the field.
func (o Offer) Item() (drift.Item, error) {
	id, err := drift.ParseID(o.ID)
	if err != nil {
		return drift.Item{}, &op.FieldError{Field: "id", Reason: "it is no UUID"}
	}
	kind, err := drift.ParseKind(o.DriftKind)
	if err != nil {
		return drift.Item{}, &op.FieldError{Field: "drift_kind", Reason: err.Error()}
	}
	who := kaijutsu.Principal{Name: o.Principal.Name, Kind: kaijutsu.PrincipalKind(o.Principal.Kind)}
	if err := o.check(who); err != nil {
		return drift.Item{}, err
	}
	it := drift.Item{
		ID: id, Via: o.FromKernel, To: o.To, Content: o.Content,
		Meta: drift.Meta{
			SourceKernel: o.FromKernel, SourceContext: o.FromContext, SourceTitle: o.Title, Heads: o.Heads,
			Model: o.Model, Kind: kind, Principal: who, DriftID: id,
			Chain: o.Chain, Finding: drift.Fingerprint(o.Content), Distiller: o.Distiller,
		},
	}
	if o.Act {
		it.Meta.Act = drift.ActAsked
	}
	for i, c := range o.Citations {
		h, err := drift.ParseHandle(c.Handle)
		if err == nil && h.Kernel == "" {
			h.Kernel = o.FromKernel // it cannot mean a context of ours
		}
		if err != nil {
			return drift.Item{}, &op.FieldError{Field: fmt.Sprintf("citations[%d].handle", i), Reason: err.Error()}
		}
		it.Meta.Citations = append(it.Meta.Citations, drift.Citation{Ref: c.Ref, Handle: h, Quote: drift.Quote(c.Quote)})
	}
	return it, nil
}

// check holds what the schema of the operation bounds, for who calls without it.
func (o Offer) check(who kaijutsu.Principal) error {
	switch {
	case !kernelName.MatchString(o.FromKernel):
		return &op.FieldError{Field: "from_kernel", Reason: fmt.Sprintf("%.64q is no kernel's name", o.FromKernel)}
	case o.To == "" || len(o.To) > 1024:
		return &op.FieldError{Field: "to", Reason: "it is empty or too long", Hint: "give the address of a context"}
	case o.Content == "":
		return &op.FieldError{Field: "content", Reason: "there is nothing to deliver"}
	case len(o.Content) > drift.MaxContent:
		return fmt.Errorf("content: %d bytes: %w: at most %d", len(o.Content), kaijutsu.ErrTooLarge, drift.MaxContent)
	case len(o.Heads) > maxHeads || len(o.Citations) > maxCitations || len(o.Chain) > maxChain:
		return fmt.Errorf("an offer with %d heads, %d citations and a chain of %d: %w: at most %d each", len(o.Heads), len(o.Citations), len(o.Chain), kaijutsu.ErrTooLarge, maxHeads)
	case o.FromContext != "" && !isContext(o.FromContext):
		return &op.FieldError{Field: "from_context", Reason: fmt.Sprintf("%.64q is no context's id", o.FromContext), Hint: "want a UUID, or leave it out"}
	case who.Name == "" || len(who.Name) > 64:
		return &op.FieldError{Field: "principal.name", Reason: "it is empty or longer than 64 bytes"}
	}
	for i, p := range o.Chain {
		if !isPlace(p) {
			return &op.FieldError{Field: fmt.Sprintf("chain[%d]", i), Reason: fmt.Sprintf("%.64q is no context of a kernel", p), Hint: "want kernel:uuid"}
		}
	}
	if _, err := kaijutsu.ParseHeads(o.Heads); err != nil {
		return &op.FieldError{Field: "heads", Reason: err.Error()}
	}
	switch who.Kind {
	case kaijutsu.Person, kaijutsu.Agent, kaijutsu.Service:
		return nil
	}
	return &op.FieldError{Field: "principal.kind", Reason: fmt.Sprintf("%.32q is none", who.Kind), Hint: "person, agent or service"}
}

// isContext reports whether a text is the id of a context, as kernels write it:
// a UUID, or the id of a document that has none.
func isContext(id string) bool {
	if c, err := kaijutsu.ParseContextID(id); err == nil {
		return c.String() == id
	}
	d, err := kaijutsu.ParseDocumentID(id)
	return err == nil && d.Name() == id
}

// isPlace reports whether a text is a context of a kernel, as chains name it.
func isPlace(text string) bool {
	kernel, id, ok := strings.Cut(text, ":")
	return ok && kernelName.MatchString(kernel) && isContext(id)
}
