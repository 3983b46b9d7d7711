package op

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestSchemasSayWhatTheRulesSay(t *testing.T) {
	o := toy(Spec{})
	got, err := json.Marshal(o.In)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"colour":{"type":"string","default":"red","enum":["red","green"]}`,
		`"minLength":2`, `"maxLength":5`, `"minimum":1`, `"maximum":9`, `"default":3`, `"minItems":1`, `"maxItems":2`,
		`"pattern":"^[a-z]{1,2}$"`, `"required":["name"]`, `"additionalProperties":false`, `"extra":{"type":"object"}`,
	} {
		if !strings.Contains(strings.ReplaceAll(string(got), " ", ""), want) {
			t.Errorf("the schema %s does not say %s", got, want)
		}
	}
	if strings.Contains(string(got), "null") || strings.Contains(string(got), `"title":{`) {
		t.Errorf("the schema %s lets null in, or shows an older name", got)
	}
}

func TestDefineFillsIn(t *testing.T) {
	o := toy(Spec{Name: "toy_say_it"})
	if o.Title != "Toy say it" || !slices.Equal(o.Command, []string{"toy", "say-it"}) || o.Family() != "toy" {
		t.Errorf("Define made the title %q, the command %q and the family %q", o.Title, o.Command, o.Family())
	}
	if o := toy(Spec{Name: "undo"}); !slices.Equal(o.Command, []string{"undo"}) {
		t.Errorf("the command of undo is %q", o.Command)
	}
}

func TestDefinePanicsAtWhatIsWrong(t *testing.T) {
	spec := Spec{Name: "toy_say", Summary: "Say it"}
	type out struct{}
	for _, tt := range []struct {
		name string
		f    func()
	}{
		{"a name in capitals", func() { define1[struct{}](Spec{Name: "Toy", Summary: "Say it"}) }},
		{"no name", func() { define1[struct{}](Spec{Summary: "Say it"}) }},
		{"no summary", func() { define1[struct{}](Spec{Name: "toy_say"}) }},
		{"a full stop", func() { define1[struct{}](Spec{Name: "toy_say", Summary: "Say it."}) }},
		{"no struct", func() { define1[string](spec) }},
		{"an unknown rule", func() {
			define1[struct {
				A string `json:"a" rule:"colour=red"`
			}](spec)
		}},
		{"a bound that is no number", func() {
			define1[struct {
				A int `json:"a" rule:"min=few"`
			}](spec)
		}},
		{"a length that is no number", func() {
			define1[struct {
				A string `json:"a" rule:"maxlen=long"`
			}](spec)
		}},
		{"a default that does not fit", func() {
			define1[struct {
				A int `json:"a,omitempty" rule:"default=x"`
			}](spec)
		}},
		{"a default out of bounds", func() {
			define1[struct {
				A int `json:"a,omitempty" rule:"max=2,default=3"`
			}](spec)
		}},
		{"an alias that is taken", func() {
			define1[struct {
				A string `json:"a" rule:"alias=b"`
				B string `json:"b"`
			}](spec)
		}},
		{"an alias for two", func() {
			define1[struct {
				A string `json:"a" rule:"alias=c"`
				B string `json:"b" rule:"alias=c"`
			}](spec)
		}},
		{"an argument that is no parameter", func() { define1[out](Spec{Name: "toy_say", Summary: "Say it", Args: []string{"word…"}}) }},
	} {
		t.Run(tt.name, func(t *testing.T) { mustPanic(t, tt.f) })
	}
}

func define1[In any](spec Spec) *Op {
	return Define(spec, func(context.Context, Call, In) (struct{}, error) { return struct{}{}, nil })
}

func TestNearest(t *testing.T) {
	known := []string{"block_append", "block_edit", "colour", "undo"}
	for word, want := range map[string]string{
		"block_apend": "block_append", "BLOCK_EDIT": "block_edit", "color": "colour", "undoo": "undo", "und": "undo",
		"xx": "", "": "", "block_": "", strings.Repeat("x", 200): "",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("Nearest(%.20q) = %q, want %q", word, got, want)
		}
	}
}

func TestExplainKnowsWhatRulesCanSay(t *testing.T) {
	o := toy(Spec{})
	if o.unexplained {
		t.Error("explain does not know all of the toy's schema")
	}
	type deep struct {
		Words map[string]int `json:"words"`
	}
	if !define1[deep](Spec{Name: "toy_words", Summary: "Say it"}).unexplained {
		t.Error("explain claims to know what a map may hold")
	}
}
