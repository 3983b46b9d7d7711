package drift

import (
	"context"

	"kaijutsu"
	"kaijutsu/blocks"
)

// Passage is one block of a conversation, as a distiller reads it.
type Passage struct {
	ID      blocks.ID
	Kind    string // of the block: text, thinking, tool_call …
	Role    string // user, model, system or tool
	Author  string // the principal's name; may be empty
	Content string
}

// Source is a conversation: a context as it was at some heads.
type Source struct {
	Title   string
	Kernel  string // empty: our own
	Context string // its UUID
	Heads   kaijutsu.Heads
	Blocks  []Passage // in the order in which they show
}

// Request is what a distiller is asked.
type Request struct {
	Source Source
	// Focus is the question that matters most; empty: none.
	Focus string
	// MaxWords bounds the briefing; 0: DefaultWords.
	MaxWords int
	// Progress, if any, gets the text so far, each time all of it, from the
	// goroutine that called Distil.
	Progress func(textSoFar string)
}

// DefaultWords is the most words of a briefing of which nobody said how long
// it may be.
const DefaultWords = 500

// Briefing is what a distiller made of a conversation.
type Briefing struct {
	Text      string // Markdown; claims cite with [n]
	Citations []Citation
	Model     string // empty: none was asked
	Distiller string // its Name
	// Note is what a reader should know of how it was made, such as why a model
	// was not asked; empty: nothing.
	Note string
	// InputTokens and OutputTokens are what the model's provider counted.
	InputTokens, OutputTokens int
}

// Distiller makes briefings. It is safe for concurrent use. Its errors wrap
// kaijutsu.ErrInvalid (nothing to distil), kaijutsu.ErrTooLarge (a budget is
// used up), kaijutsu.ErrDenied (the provider refuses us) or
// kaijutsu.ErrUnavailable (trying later may help); it returns the context's own
// error when that ends. It never returns half a briefing.
type Distiller interface {
	// Name says which distiller this is: "extractive", or provider and model.
	Name() string
	Distil(ctx context.Context, req Request) (Briefing, error)
}

// Asker is a Distiller that answers a prompt of somebody else's, such as
// [CommitPrompt]: a language model is one. The Text is the answer as it is,
// trimmed; nothing of it is a citation. Its errors are those of Distil.
type Asker interface {
	Distiller
	Ask(ctx context.Context, system, user string) (Briefing, error)
}
