package drift_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"kaijutsu/blocks"
	"kaijutsu/drift"
)

func says(role, kind, content string) drift.Passage {
	return drift.Passage{ID: blocks.ID(blockUUID), Role: role, Kind: kind, Content: content}
}

func TestBuildDistillationPromptBasic(t *testing.T) {
	system, user := drift.Transcript(drift.Source{Blocks: []drift.Passage{
		says("user", "text", "Why is it slow?"), says("model", "thinking", "Perhaps the cache."), says("model", "tool_call", "{}"),
		says("tool", "tool_result", "miss"), says("user", "shell_command", "ls"), says("system", "shell_output", "a b"),
		says("system", "drift", "A briefing."), says("model", "text", "It is the cache."),
	}}, "")
	if want := "Summarize this conversation for transfer to another context. Be concise. Preserve: key findings, decisions made, " +
		"code references, and open questions. Format as a briefing, not a transcript. Use bullet points for clarity. " +
		"Keep it under 500 words."; system != want {
		t.Errorf("system prompt = %q, want %q", system, want)
	}
	head, passages, found := strings.Cut(user, "[1] ")
	if !found || !strings.HasPrefix(head, "# Conversation to summarize\n\n") || !strings.Contains(head, "Cite") {
		t.Errorf("prompt begins %q, want the heading and how to cite", head)
	}
	want := "**User**: Why is it slow?\n\n[2] **Model (thinking)**: Perhaps the cache.\n\n[3] **Model (tool call)**: {}\n\n" +
		"[4] **Tool (tool result)**: miss\n\n[5] **User (shell)**: ls\n\n[6] **System (output)**: a b\n\n" +
		"[7] **System (drift)**: A briefing.\n\n[8] **Model**: It is the cache.\n\n"
	if passages != want {
		t.Errorf("passages = %q, want %q", passages, want)
	}
}

func TestBuildDistillationPromptWithDirectedFocus(t *testing.T) {
	src := drift.Source{Blocks: []drift.Passage{says("user", "text", "Hello")}}
	_, user := drift.Transcript(src, " what was decided about caching? ")
	if want := "\n---\n\nFocus your summary on: what was decided about caching?"; !strings.HasSuffix(user, want) {
		t.Errorf("prompt = %q, want it to end with %q", user, want)
	}
	if _, user := drift.Transcript(src, " \n"); strings.Contains(user, "Focus") {
		t.Errorf("prompt without a focus = %q, want none in it", user)
	}
}

func TestBuildDistillationPromptTruncatesLongBlocks(t *testing.T) {
	for _, c := range []struct {
		name, content, want string
	}{
		{"10 kB of three bytes each", strings.Repeat("京", 3400), strings.Repeat("京", 666) + "... [truncated, 10200 bytes total]"},
		{"2,000 bytes", strings.Repeat("x", 2000), strings.Repeat("x", 2000)},
		{"2,001 bytes", strings.Repeat("x", 2001), strings.Repeat("x", 2000) + "... [truncated, 2001 bytes total]"},
		{"the last character across the limit", strings.Repeat("x", 1999) + "é", strings.Repeat("x", 1999) + "... [truncated, 2001 bytes total]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, user := drift.Transcript(drift.Source{Blocks: []drift.Passage{says("user", "text", c.content)}}, "")
			if !strings.HasSuffix(user, "**User**: "+c.want+"\n\n") || !utf8.ValidString(user) {
				t.Errorf("prompt ends with %q, want %q", user[max(0, len(user)-100):], c.want[max(0, len(c.want)-60):])
			}
		})
	}
}

func TestBuildDistillationPromptSkipsEmpty(t *testing.T) {
	src := drift.Source{Blocks: []drift.Passage{says("user", "text", ""), says("user", "text", "One"), says("model", "text", " \n\t"), says("model", "text", "Two")}}
	_, user := drift.Transcript(src, "")
	if want := "[1] **User**: One\n\n[2] **Model**: Two\n\n"; !strings.HasSuffix(user, want) || strings.Count(user, "**User**") != 1 {
		t.Errorf("prompt = %q, want it to end with %q", user, want)
	}
}

func TestTranscriptsKeepTheNewest(t *testing.T) {
	var src drift.Source
	for i := range 300 {
		src.Blocks = append(src.Blocks, says("user", "text", fmt.Sprintf("block %03d %s", i, strings.Repeat("x", 3000))))
	}
	_, user := drift.Transcript(src, "")
	if len(user) > 410<<10 {
		t.Errorf("prompt of %d bytes, want about 400 KB at most", len(user))
	}
	if !strings.Contains(user, "block 299") || strings.Contains(user, "block 000") {
		t.Error("the prompt does not keep the newest blocks")
	}
	shown := strings.Count(user, "**User**")
	if want := fmt.Sprintf("[the first %d passages are left out: the conversation is longer than 400 KB]", 300-shown); !strings.Contains(user, want) {
		t.Errorf("prompt of %d passages does not say %q", shown, want)
	}
	if first := fmt.Sprintf("[1] **User**: block %03d", 300-shown); !strings.Contains(user, first) {
		t.Errorf("the prompt has no %q", first)
	}
}

func TestCommitPrompt(t *testing.T) {
	var passages []drift.Passage
	for i := range 12 {
		passages = append(passages, says("user", "text", fmt.Sprintf("word %02d", i)), says("user", "text", " "))
	}
	system, user := drift.CommitPrompt(strings.Repeat("+é", 4000), passages)
	if want := "Generate a concise git commit message from the diff and conversation context below. " +
		"Use conventional commit format (type(scope): description). Focus on the 'why' over the 'what'. " +
		"Keep the subject line under 72 chars. Add a body paragraph only if the change is non-obvious."; system != want {
		t.Errorf("system prompt = %q, want %q", system, want)
	}
	if want := strings.Repeat("+é", 2666) + "+... [truncated, 12000 bytes total]\n\n# Conversation\n\n**User**: word 02\n\n"; !strings.Contains(user, want) {
		t.Errorf("prompt = %.100q…, want 8,000 bytes of the diff and ten blocks", user)
	}
	if !strings.HasSuffix(user, "**User**: word 11\n\n") || strings.Contains(user, "word 01") {
		t.Error("the prompt does not end with the last ten blocks")
	}
}
