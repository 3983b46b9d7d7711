package catalog

import (
	"kaijutsu"
	"kaijutsu/internal/op"
)

type blockAppendIn struct {
	onBlock
	Text  string `json:"text" jsonschema:"What to add at the end, as it is: no newline is put in front of it."`
	Flush bool   `json:"flush,omitempty" jsonschema:"Write it out at once, with what was waiting. Default: wait for a newline, for 50 characters or for 100 ms."`
}

type blockAppendOut struct {
	Block    string   `json:"block_id"`
	Context  string   `json:"context" jsonschema:"The id of the context."`
	Version  uint64   `json:"version" jsonschema:"How many changes the context holds on disk."`
	Heads    []string `json:"heads"`
	Durable  bool     `json:"durable" jsonschema:"All of it is on disk. False: some of it waits for a newline, for more text or for 100 ms to pass."`
	Buffered int      `json:"buffered" jsonschema:"How many characters wait."`
}

func (o *operations) blockAppend() *op.Op {
	return op.Define(op.Spec{
		Name: "block_append", Title: "Append to a block", Args: []string{"block_id", "text…"},
		Summary: "Add text to the end of a block, as it is streamed",
		Description: "Small pieces are gathered: they become one change at a newline, at 50 characters, after 100 ms, before anybody reads or edits the block, " +
			"or when its status becomes done, error or cancelled. `durable` says whether this call is on disk already.\n\n" +
			"A finished record (form body) becomes a text first.",
		Scope: op.OnContext, Right: kaijutsu.RightComment, Effect: op.Writes,
		Examples: examplesOf("block_append"),
	}, o.appendBlock)
}
