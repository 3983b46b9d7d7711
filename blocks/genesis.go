package blocks

import (
	_ "embed"
	"fmt"
	"slices"

	"kaijutsu/internal/amfile"
)

// genesisBytes is the chunk of the change that every context starts from. Its
// bytes never change: two documents that each make ROOT.pages for themselves
// lose the blocks of one side when they meet.
//
//go:embed genesis.bin
var genesisBytes []byte

// Genesis returns the change that every context starts from. It is made by the
// actor "kaijutsu-genesis", with sequence number 1 at time 0, and makes
// ROOT.schema, ROOT.title, ROOT.pages and the 64 pages.
func Genesis() *amfile.Change {
	c, err := amfile.DecodeChange(slices.Clone(genesisBytes))
	if err != nil {
		panic(fmt.Sprintf("the embedded genesis change: %v", err))
	}
	return c
}
