package drift

import (
	"fmt"
	"strings"
)

// The limits of what is put to a model, in bytes of UTF-8.
const (
	maxPassageBytes    = 2000      // of one block
	maxTranscriptBytes = 400 << 10 // of all of them
	maxDiffBytes       = 8000      // of a commit's diff
	commitPassages     = 10        // blocks that a commit's prompt ends with
)

const distilSystem = "Summarize this conversation for transfer to another context. Be concise. Preserve: key findings, " +
	"decisions made, code references, and open questions. Format as a briefing, not a transcript. " +
	"Use bullet points for clarity. Keep it under 500 words."

const commitSystem = "Generate a concise git commit message from the diff and conversation context below. " +
	"Use conventional commit format (type(scope): description). Focus on the 'why' over the 'what'. " +
	"Keep the subject line under 72 chars. Add a body paragraph only if the change is non-obvious."

// Transcript returns what a distiller puts to a model: the task, and the
// conversation in numbered passages, which [Cite] finds again in the answer. Of
// a block it shows 2,000 bytes, cut between characters, and says how many there
// are; empty blocks are left out. Of a conversation of more than 400 KB it shows
// the newest, and says how many it leaves out. A focus, at most 4 KiB of it, comes
// last.
func Transcript(src Source, focus string) (system, user string) {
	shown, left := numbered(src)
	var b strings.Builder
	b.WriteString("# Conversation to summarize\n\n")
	b.WriteString("The passages are numbered. Cite those that a statement rests on by their numbers, as [2] or [2][5].\n\n")
	if left > 0 {
		fmt.Fprintf(&b, "[the first %d passages are left out: the conversation is longer than %d KB]\n\n", left, maxTranscriptBytes>>10)
	}
	for i, at := range shown {
		fmt.Fprintf(&b, "[%d] ", i+1)
		writePassage(&b, src.Blocks[at])
	}
	if focus = strings.TrimSpace(focus); focus != "" {
		b.WriteString("\n---\n\nFocus your summary on: " + clip(focus, maxFocusBytes))
	}
	return distilSystem, b.String()
}

// CommitPrompt returns what is put to a model that is to write the message of
// a git commit: the task, the staged diff, of which it shows 8,000 bytes, and
// the last ten of the passages, as [Transcript] shows them but unnumbered.
func CommitPrompt(diff string, passages []Passage) (system, user string) {
	var b strings.Builder
	b.WriteString("# Diff\n\n" + clip(strings.ToValidUTF8(diff, "\uFFFD"), maxDiffBytes) + "\n\n")
	var last []Passage
	for i := len(passages) - 1; i >= 0 && len(last) < commitPassages; i-- {
		if !isEmpty(passages[i]) {
			last = append(last, passages[i])
		}
	}
	if len(last) > 0 {
		b.WriteString("# Conversation\n\n")
	}
	for i := len(last) - 1; i >= 0; i-- {
		writePassage(&b, last[i])
	}
	return commitSystem, b.String()
}

// numbered returns which blocks of a conversation a transcript shows, in their
// order: the passage [n] is the block at shown[n-1]. Before them it leaves out
// so many that are not empty.
func numbered(src Source) (shown []int, left int) {
	total, full := 0, false
	for i := len(src.Blocks) - 1; i >= 0; i-- {
		p := src.Blocks[i]
		if isEmpty(p) {
			continue
		}
		total += min(len(p.Content), maxPassageBytes) + 64 // and its label
		if full = full || total > maxTranscriptBytes; full {
			left++
			continue
		}
		shown = append(shown, i)
	}
	for i, j := 0, len(shown)-1; i < j; i, j = i+1, j-1 {
		shown[i], shown[j] = shown[j], shown[i]
	}
	return shown, left
}

func isEmpty(p Passage) bool { return strings.TrimSpace(p.Content) == "" }

func writePassage(b *strings.Builder, p Passage) {
	b.WriteString("**" + label(p) + "**: " + clip(strings.ToValidUTF8(p.Content, "\uFFFD"), maxPassageBytes) + "\n\n")
}

// clip cuts a text that is longer than max bytes, and says so.
func clip(text string, max int) string {
	if len(text) <= max {
		return text
	}
	return cutBytes(text, max) + fmt.Sprintf("... [truncated, %d bytes total]", len(text))
}

// label says who speaks in a passage, and of what kind it is.
func label(p Passage) string {
	role := "User"
	switch p.Role {
	case "model":
		role = "Model"
	case "system":
		role = "System"
	case "tool":
		role = "Tool"
	}
	switch p.Kind {
	case "thinking", "drift":
		return role + " (" + p.Kind + ")"
	case "tool_call":
		return role + " (tool call)"
	case "tool_result":
		return role + " (tool result)"
	case "shell_command":
		return role + " (shell)"
	case "shell_output":
		return role + " (output)"
	}
	return role
}
