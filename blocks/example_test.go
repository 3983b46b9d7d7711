package blocks_test

import (
	"fmt"
	"log"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
)

// A person asks, an agent answers in pieces; each step is one change.
func Example() {
	genesis := blocks.Genesis()
	model := blocks.NewModel()
	model.Apply(genesis)
	heads := []kaijutsu.ChangeHash{genesis.Hash}

	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	question, answer := blocks.NewID(now), blocks.NewID(now)
	steps := []func(*blocks.Tx) error{
		func(tx *blocks.Tx) error { return tx.SetTitle("Greetings") },
		func(tx *blocks.Tx) error {
			return tx.InsertBlock(blocks.BlockSpec{ID: question, Content: "Say hello"})
		},
		func(tx *blocks.Tx) error {
			return tx.InsertBlock(blocks.BlockSpec{ID: answer, Role: blocks.RoleModel, Status: blocks.StatusRunning, Position: blocks.After(question)})
		},
		func(tx *blocks.Tx) error { return tx.AppendText(answer, "Hel") },
		func(tx *blocks.Tx) error { return tx.AppendText(answer, "lo!") },
		func(tx *blocks.Tx) error { return tx.SetStatus(answer, blocks.StatusDone) },
	}
	for _, step := range steps {
		change, err := model.Commit(blocks.CommitOptions{Actor: "an actor", Time: now, Deps: heads}, step)
		if err != nil {
			log.Fatal(err)
		}
		heads = []kaijutsu.ChangeHash{change.Hash} // here change.Raw would be put on disk
		delta := model.Apply(change)
		for _, b := range delta.Blocks {
			fmt.Println(b.How)
		}
	}
	fmt.Println(model.Title())
	for _, b := range model.Blocks() {
		fmt.Printf("%s %s (%s): %s\n", b.Role, b.Status, b.Form, b.Content)
	}
	// Output:
	// inserted
	// inserted
	// content
	// content
	// content,status
	// Greetings
	// user done (text): Say hello
	// model done (body): Hello!
}

func ExampleModel_Apply() {
	model := blocks.NewModel()
	model.Apply(blocks.Genesis())
	fmt.Println(model.IsContext(), model.Len())
	// Output: true 0
}

func ExampleID_Page() {
	id, err := blocks.ParseID("01932b5e-7c00-7000-8000-000000000000")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(id.Page())
	// Output: 23
}
