package changegraph

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"kaijutsu/internal/amfile"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata/stories")

// TestStories runs testdata/stories: one command a line, below it what came of
// it, after "= ". Lines with # are comments.
func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/stories/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := runStory(t, string(want))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != string(want) {
				t.Errorf("the story is now:\n%s", got)
			}
		})
	}
}

// story is a number of people who hold a document and talk.
type story struct {
	t      *testing.T
	people map[string]*person
	edits  int64
}

type person struct {
	*writer
	states map[string]*SyncState
	inbox  map[string][][]byte
	flags  *amfile.SyncFlags // the trailer that it sends, like the stock library
	reads  map[string]bool   // who may only read here
}

func runStory(t *testing.T, text string) string {
	s := &story{t: t, people: make(map[string]*person)}
	var out strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "=") {
			continue
		}
		out.WriteString(line)
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		if answer := s.run(words[0], words[1:]); answer != "" {
			fmt.Fprintf(&out, "= %s\n", answer)
		}
	}
	return out.String()
}

func (s *story) run(command string, args []string) string {
	who := s.people[args[0]]
	switch command {
	case "new": // new NAME...
		for _, name := range args {
			s.people[name] = &person{
				writer: newWriter(s.t, actorID(len(s.people)+1)),
				states: make(map[string]*SyncState), inbox: make(map[string][][]byte), reads: make(map[string]bool),
			}
		}
	case "twin": // twin NAME OF: a copy with the same actor
		s.run("new", args[:1])
		s.people[args[0]].actor = s.people[args[1]].actor
		s.run("copy", args)
	case "edit": // edit NAME COUNT
		for range s.number(args[1]) {
			s.edits++
			who.put("k", amfile.IntValue(s.edits))
		}
	case "copy": // copy NAME FROM: all that the other holds
		who = s.people[args[0]]
		from := s.people[args[1]].g
		for i := range from.Len() {
			c, err := amfile.DecodeChange(from.Raw(i))
			if err != nil {
				s.t.Fatal(err)
			}
			who.take(c)
		}
	case "connect", "resume": // connect NAME NAME
		for k, name := range args {
			p, other := s.people[name], args[1-k]
			fresh := NewSyncState()
			if command == "resume" {
				fresh = ResumeSyncState(p.states[other].Shared())
			}
			p.states[other], p.inbox[other] = fresh, nil
		}
	case "forget": // forget NAME COUNT: keeps no more than so many changes, and no sync state
		fresh := newWriter(s.t, actorID(50+len(s.people)))
		for i := range min(s.number(args[1]), who.g.Len()) {
			if err := fresh.g.Restore(who.g.Raw(i)); err != nil {
				s.t.Fatal(err)
			}
		}
		fresh.reread()
		who.writer = fresh
		for other := range who.states {
			who.states[other] = NewSyncState()
		}
	case "truncate": // truncate NAME COUNT: the disk refuses the rest
		who.g.Truncate(s.number(args[1]))
		who.reread()
	case "snapshot": // snapshot NAME
		who.g.SetSnapshot(documentOf(s.t, who.g), who.g.Len())
	case "trailer": // trailer NAME [reset] [readonly]
		all := strings.Join(args[1:], " ")
		who.flags = &amfile.SyncFlags{SupportsReset: true, Reset: strings.Contains(all, "reset"), ReadOnly: strings.Contains(all, "readonly")}
	case "readonly": // readonly NAME OTHER: the other may only read here
		who.reads[args[1]] = true
	case "readwrite":
		who.reads[args[1]] = false
	case "say": // say NAME TO
		return s.say(args[0], args[1])
	case "hear": // hear NAME FROM
		return s.hear(args[0], args[1])
	case "lose": // lose NAME FROM: a message on its way
		who.inbox[args[1]] = who.inbox[args[1]][1:]
	case "talk": // talk NAME NAME: until both are silent
		return s.talk(args[0], args[1])
	case "compare": // compare NAME NAME
		sameDocument(s.t, who.g, s.people[args[1]].g)
		return fmt.Sprintf("both hold %d", who.g.Len())
	default:
		s.t.Fatalf("unknown command %q", command)
	}
	return ""
}

func (s *story) number(word string) int {
	n, err := strconv.Atoi(word)
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *story) say(name, to string) string {
	p := s.people[name]
	data, ok := p.g.Generate(p.states[to])
	if !ok {
		return "nothing"
	}
	m, err := amfile.DecodeSync(data)
	if err != nil {
		s.t.Fatal(err)
	}
	if p.flags != nil {
		m.Flags = p.flags
		data = m.Encode()
	}
	s.people[to].inbox[name] = append(s.people[to].inbox[name], bytes.Clone(data))
	have := "no have"
	if len(m.Have) > 0 {
		have = fmt.Sprintf("have %d+%d", len(m.Have[0].LastSync), m.Have[0].Bloom.Len())
	}
	return fmt.Sprintf("v%d heads %d, need %d, %s, changes %d", m.Version, len(m.Heads), len(m.Need), have, len(decodeAll(s.t, m)))
}

func (s *story) hear(name, from string) string {
	p := s.people[name]
	if len(p.inbox[from]) == 0 {
		return "silence"
	}
	data := p.inbox[from][0]
	p.inbox[from] = p.inbox[from][1:]
	got := p.receive(p.states[from], data, ReceiveOptions{ReadOnly: p.reads[from]})
	answer := fmt.Sprintf("added %d", len(got.Added))
	if len(got.Refused) > 0 {
		answer += fmt.Sprintf(", refused %d by rule %d", len(got.Refused), got.Refused[0].Rule)
	}
	if got.Reset {
		answer += ", reset"
	}
	return answer
}

func (s *story) talk(a, b string) string {
	for messages := 0; messages < 100; {
		quiet := true
		for _, pair := range [][2]string{{a, b}, {b, a}} {
			if s.say(pair[0], pair[1]) != "nothing" {
				quiet = false
				messages++
			}
			for len(s.people[pair[1]].inbox[pair[0]]) > 0 {
				s.hear(pair[1], pair[0])
			}
		}
		if quiet {
			return fmt.Sprintf("quiet after %d messages", messages)
		}
	}
	return "no end of talk"
}
