package link_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/link"
	"kaijutsu/internal/op"
)

// TestOffersThatAreRefused holds an offer against what its schema says of it.
func TestOffersThatAreRefused(t *testing.T) {
	uuid := kaijutsu.NewContextID(time.Unix(1_700_000_003, 0)).String()
	good := link.Offer{
		ID: uuid, Kernel: "away", FromKernel: "home", FromContext: uuid, To: "planning", Content: "x", DriftKind: "push",
		Principal: link.Who{Name: "amy", Kind: "agent"}, Chain: []string{"home:" + uuid, "third-1:" + uuid},
	}
	if _, err := good.Item(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		field string
		f     func(*link.Offer)
	}{
		{"id", func(o *link.Offer) { o.ID = "x" }},
		{"from_kernel", func(o *link.Offer) { o.FromKernel = "Home" }},
		{"from_context", func(o *link.Offer) { o.FromContext = "x" }},
		{"from_context", func(o *link.Offer) { o.FromContext = strings.ToUpper(uuid) }},
		{"from_context", func(o *link.Offer) { o.FromContext = "home:" + uuid }},
		{"chain[0]", func(o *link.Offer) { o.Chain = []string{"x"} }},
		{"chain[1]", func(o *link.Offer) { o.Chain = []string{"home:" + uuid, uuid} }},
		{"chain[0]", func(o *link.Offer) { o.Chain = []string{":" + uuid} }},
		{"chain[0]", func(o *link.Offer) { o.Chain = []string{"home:x"} }},
		{"heads", func(o *link.Offer) { o.Heads = []string{"x"} }},
		{"drift_kind", func(o *link.Offer) { o.DriftKind = "pushed" }},
		{"principal.kind", func(o *link.Offer) { o.Principal.Kind = "robot" }},
	} {
		bad := good
		tt.f(&bad)
		_, err := bad.Item()
		var wrong *op.FieldError
		if !errors.As(err, &wrong) || !errors.Is(err, kaijutsu.ErrInvalid) || wrong.Field != tt.field {
			t.Errorf("offer %+v: %v, want ErrInvalid about %s", bad, err, tt.field)
		}
	}
}

// TestWhatEditorsWroteInAChain is not sent on: the other kernel would refuse the
// drift for it.
func TestWhatEditorsWroteInAChain(t *testing.T) {
	o := serve(t, "away", kaijutsu.RightEdit, delivered)
	l, _, _ := open(t, t.TempDir(), nil)
	set(t, l, "away", o.URL)
	it := item()
	it.Meta.Chain = append(it.Meta.Chain, "x", "third:x", "THIRD:"+doc.Name())
	it.Meta.SourceContext = "nowhere"
	if _, err := l.Offer(t.Context(), "away", it); err != nil {
		t.Fatal(err)
	}
	got, err := o.offers[0].Item()
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"third:" + doc.Name(), "home:" + doc.Name()}; !slices.Equal(got.Meta.Chain, want) || got.Meta.SourceContext != doc.Name() {
		t.Errorf("chain %q from %q, want %q from %q", got.Meta.Chain, got.Meta.SourceContext, want, doc.Name())
	}
}
