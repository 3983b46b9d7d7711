package op

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"kaijutsu"
)

// step is what toyIn nests.
type step struct {
	Op   string `json:"op" rule:"enum=insert|delete"`
	Line *int   `json:"line,omitempty" rule:"min=0"`
}

// toyIn has a field of each sort.
type toyIn struct {
	Name    string          `json:"name" jsonschema:"What it is called." rule:"minlen=2,maxlen=5,alias=title"`
	Colour  string          `json:"colour,omitempty" rule:"enum=red|green,default=red"`
	Size    int             `json:"size,omitempty" rule:"min=1,max=9,default=3"`
	Ratio   float64         `json:"ratio,omitempty"`
	Loud    bool            `json:"loud,omitempty"`
	Tags    []string        `json:"tags,omitempty" rule:"minitems=1,maxitems=2"`
	Steps   []step          `json:"steps,omitempty"`
	Range   *toyRange       `json:"range,omitempty"`
	Extra   json.RawMessage `json:"extra,omitempty" rule:"object"`
	Item    string          `json:"item,omitempty" rule:"numeric,maxlen=4"`
	Initial string          `json:"initial,omitempty" rule:"pattern=^[a-z]{1,2}$"`
}

type toyRange struct {
	Start int `json:"start" rule:"min=0"`
}

type toyOut struct {
	Said string `json:"said"`
}

// toy says what it was given.
func toy(spec Spec) *Op {
	if spec.Name == "" {
		spec.Name = "toy_say"
	}
	spec.Summary = "Say it"
	return Define(spec, func(_ context.Context, c Call, in toyIn) (toyOut, error) {
		switch in.Name {
		case "panic":
			panic("as asked")
		case "fault":
			return toyOut{}, fmt.Errorf("a secret of the server")
		case "gone":
			return toyOut{}, fmt.Errorf("toy: %w", kaijutsu.ErrNotFound)
		}
		return toyOut{fmt.Sprintf("<%s %s %d %v %s>", in.Name, in.Colour, in.Size, in.Loud, in.Extra)}, nil
	})
}

var (
	amy   = kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Person}
	owner = Call{By: amy, Right: kaijutsu.RightOwn}
)

func mustPanic(t *testing.T, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Error("it did not panic")
		}
	}()
	f()
}
