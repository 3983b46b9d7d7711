package drift

import (
	"context"
	"strings"

	"kaijutsu/blocks"
)

// maxProse is how much of a conversation is read, in bytes: the newest.
const maxProse = 4 << 20

// candidates returns the sentences of a conversation that an extract may take,
// the same sentence once, and how many blocks before them were too much to read.
// What is said of the words of a focus may be shorter.
// Where nobody wrote prose, that of tools and files stands in for it. It fails
// when ctx ends.
func candidates(ctx context.Context, src Source, focus []string) (list []sentence, left int, err error) {
	for _, voice := range []func(Passage) float64{voice, anyVoice} {
		c := collector{seen: make(map[string]bool), focus: focus}
		first := newest(src, voice)
		for i, p := range src.Blocks[first:] {
			if err := ctx.Err(); err != nil {
				return nil, 0, err
			}
			if weight := voice(p); weight > 0 {
				c.block(first+i, p, weight)
			}
		}
		if len(c.list) > 0 {
			return c.list, first, nil
		}
	}
	return nil, 0, nil
}

// newest returns the first of the blocks which together are not too long.
func newest(src Source, voice func(Passage) float64) int {
	total := 0
	for i := len(src.Blocks) - 1; i >= 0; i-- {
		if voice(src.Blocks[i]) == 0 {
			continue
		}
		if total >= maxProse {
			return i + 1
		}
		total += len(src.Blocks[i].Content)
	}
	return 0
}

// answeredWeight is that of questions which seem to have been answered.
const answeredWeight = 0.3

type collector struct {
	list  []sentence
	seen  map[string]bool
	focus []string
	// asked are the questions that the block before, whose author is author,
	// ended with: the next words of somebody else may answer them.
	asked  []int
	author string
	role   string
}

// block takes the sentences of a block.
func (c *collector) block(i int, p Passage, weight float64) {
	if isEmpty(p) {
		return
	}
	here := sentencesOf(strings.ToValidUTF8(cutBytes(p.Content, maxProse), "\uFFFD"), i, c.focus)
	if len(here) == 0 {
		return
	}
	another := p.Author != c.author || p.Role != c.role
	for _, at := range c.asked {
		if another && isAnswered(here[0].words) {
			c.list[at].weight *= answeredWeight
		}
	}
	c.asked, c.author, c.role = c.asked[:0], p.Author, p.Role
	for _, s := range here {
		key := strings.Join(s.words, " ")
		if c.seen[key] {
			continue
		}
		c.seen[key] = true
		s.weight *= weight
		if s.section == questions {
			c.asked = append(c.asked, len(c.list))
		} else {
			c.asked = c.asked[:0]
		}
		c.list = append(c.list, s)
	}
}

// voice says how much the prose of a passage counts; 0: a machine wrote it.
func voice(p Passage) float64 {
	switch blocks.Kind(p.Kind) {
	case blocks.KindToolCall, blocks.KindToolResult, blocks.KindShellCommand, blocks.KindShellOutput, blocks.KindFile, blocks.KindResource:
		return 0
	case blocks.KindThinking:
		return 0.5
	}
	if p.Role == string(blocks.RoleTool) {
		return 0
	}
	return 1
}

// anyVoice counts every passage alike.
func anyVoice(Passage) float64 { return 1 }
