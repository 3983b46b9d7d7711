package catalog

import (
	"kaijutsu"
	"kaijutsu/internal/op"
)

type undoIn struct {
	inContext
	Steps  int    `json:"steps,omitempty" jsonschema:"How many units of work to take back." rule:"min=1,max=100,default=1"`
	Change string `json:"change,omitempty" jsonschema:"Take back the unit of work that this change belongs to instead of the last one. It must be the caller's own; that of an undo brings back what it took." rule:"maxlen=64"`
}

type undoneUnit struct {
	Changes []string `json:"changes" jsonschema:"The changes that made it up, oldest first."`
	Time    string   `json:"time" jsonschema:"When the last of them was made."`
	What    string   `json:"what,omitempty" jsonschema:"The operation that made it, or the undo of one. Empty for what an editor synced."`
	Blocks  []string `json:"blocks" jsonschema:"The blocks that it touched."`
}

type undoOut struct {
	Undone []undoneUnit `json:"undone" jsonschema:"What was taken back, the newest first."`
	written
}

func (o *operations) undo() *op.Op {
	return op.Define(op.Spec{
		Name: "undo", Title: "Undo", Args: []string{"context"},
		Summary: "Take back the last thing that the caller did in a context, and only that",
		Description: "A unit of work is one operation, or a run of typing or appending in one block. What others did stays, also inside the same text. " +
			"Calling it again goes further back. To redo, pass the `change` of the result as `change`.\n\n" +
			"If there is nothing of the caller to take back, that is an error of kind not_found.",
		Scope: op.OnContext, Right: kaijutsu.RightComment, Effect: op.Writes,
		Examples: examplesOf("undo"),
	}, o.undoWork)
}
