package drift_test

import (
	"context"
	"fmt"
	"log"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
)

// A handle names lines as they were; any editor's text may hold some.
func ExampleParseHandle() {
	h, err := drift.ParseHandle("release plan/0198c0de-2222-7000-8000-00000000000b@9f2c41d07b#L3-L7")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(h.Context, h.Heads, h.First, h.Last)
	fmt.Println(h)

	_, err = drift.ParseHandle("release plan/b7#3")
	fmt.Println(err)
	// Output:
	// release plan [9f2c41d07b] 3 7
	// release plan/0198c0de-2222-7000-8000-00000000000b@9f2c41d07b#3-7
	// handle "release plan/b7#3": want context/block@heads#first-last, the block as a UUID: invalid
}

func ExampleFindHandles() {
	text := "The cache is cold (0198c0de-1111-7000-8000-00000000000a/0198c0de-2222-7000-8000-00000000000b#3), " +
		"as [[release plan/0198c0de-3333-7000-8000-00000000000c]] says."
	for _, found := range drift.FindHandles(text) {
		fmt.Println(found.Handle.Context, found.Handle.Block[:13], found.Handle.First)
	}
	// Output:
	// 0198c0de-1111-7000-8000-00000000000a 0198c0de-2222 3
	// release plan 0198c0de-3333 0
}

// Delivering a drift twice makes one block: its id follows from the drift's.
func ExampleBlockID() {
	id, err := drift.ParseID("0198C0DE-5555-7000-8000-00000000000E")
	if err != nil {
		log.Fatal(err)
	}
	target := kaijutsu.NewContextID(time.Now()).Document()
	first, again := drift.BlockID(id, target), drift.BlockID(id, target)
	fmt.Println(first == again, first[:13])
	// Output:
	// true 0198c0de-5555
}

// What a drift block says of itself stands beside what others wrote there.
func ExampleMeta_Encode() {
	meta := drift.Meta{
		SourceContext: "0198c0de-1111-7000-8000-00000000000a", Kind: drift.KindPush,
		Principal: kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Person},
		Citations: []drift.Citation{{
			Ref: 1, Quote: "The cache is cold.",
			Handle: drift.Handle{Context: "release plan", Block: "0198c0de-2222-7000-8000-00000000000b", First: 3, Last: 3},
		}},
	}
	text, err := meta.Encode(`{"lang":"en"}`)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.ReplaceAll(text, `,"`, ",\n\""))
	// Output:
	// {"citations":[{"ref":1,
	// "handle":"release plan/0198c0de-2222-7000-8000-00000000000b#3",
	// "quote":"The cache is cold."}],
	// "drift_kind":"push",
	// "lang":"en",
	// "principal":{"name":"amy",
	// "kind":"person"},
	// "source_context":"0198c0de-1111-7000-8000-00000000000a"}
}

// The distiller that needs no model takes sentences as they are.
func ExampleExtractive() {
	says := func(n int, author, content string) drift.Passage {
		return drift.Passage{ID: blocks.ID(fmt.Sprintf("0198c0de-2222-7000-8000-%012d", n)), Kind: "text", Role: "user", Author: author, Content: content}
	}
	briefing, err := drift.Extractive().Distil(context.Background(), drift.Request{Source: drift.Source{
		Title: "Slow gallery", Context: "0198c0de-1111-7000-8000-00000000000a", Heads: kaijutsu.NewHeads(kaijutsu.ChangeHash{1}),
		Blocks: []drift.Passage{
			says(1, "amy", "The gallery takes 14 seconds to show. What takes so long?"),
			says(2, "ben", "I found it:\nmaking a thumbnail takes 1.4 seconds, see `gallery/thumb.go:88`."),
			says(3, "amy", "We decided to make thumbnails when pictures arrive.\n\nIt is still open who pays for the disk."),
		},
	}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(briefing.Text)
	for _, c := range briefing.Citations {
		fmt.Printf("[%d] lines %d-%d of …%s: %s\n", c.Ref, c.Handle.First, c.Handle.Last, c.Handle.Block[32:], c.Quote)
	}
	// Output:
	// ## Decisions
	//
	// - We decided to make thumbnails when pictures arrive. [1]
	//
	// ## Findings
	//
	// - The gallery takes 14 seconds to show. [2]
	// - I found it: making a thumbnail takes 1.4 seconds, see `gallery/thumb.go:88`. [3]
	//
	// ## Open questions
	//
	// - What takes so long? [2]
	// - It is still open who pays for the disk. [4]
	//
	// _An extract made without a model: 5 of 5 sentences, word for word, ranked by TextRank and sorted by cue words._
	//
	// [1] lines 1-1 of …0003: We decided to make thumbnails when pictures arrive.
	// [2] lines 1-1 of …0001: The gallery takes 14 seconds to show. What takes so long?
	// [3] lines 1-2 of …0002: I found it:
	// making a thumbnail takes 1.4 seconds, see `gallery/thumb.go:88`.
	// [4] lines 3-3 of …0003: It is still open who pays for the disk.
}

// An answer of a model cites passages by their numbers.
func ExampleCite() {
	src := drift.Source{Context: "0198c0de-1111-7000-8000-00000000000a", Blocks: []drift.Passage{
		{ID: "0198c0de-2222-7000-8000-000000000001", Role: "user", Kind: "text", Content: "The cache is cold."},
		{ID: "0198c0de-2222-7000-8000-000000000002", Role: "model", Kind: "text", Content: "It is, and small."},
	}}
	system, user := drift.Transcript(src, "")
	fmt.Println(len(system) > 0, strings.Contains(user, "[2] **Model**: It is, and small."))

	text, citations := drift.Cite(src, "- The cache is cold and small [1, 2].\n- It was never warm [7].")
	fmt.Println(text)
	for _, c := range citations {
		fmt.Println(c.Ref, c.Handle)
	}
	// Output:
	// true true
	// - The cache is cold and small [1][2].
	// - It was never warm.
	// 1 0198c0de-1111-7000-8000-00000000000a/0198c0de-2222-7000-8000-000000000001
	// 2 0198c0de-1111-7000-8000-00000000000a/0198c0de-2222-7000-8000-000000000002
}
