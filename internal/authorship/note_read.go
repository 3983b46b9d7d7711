package authorship

import (
	"encoding/json"
	"strings"

	"kaijutsu"
	"kaijutsu/git"
)

// The attributes of what we write into notes.
const (
	attrPrincipal = "kaijutsu_principal" // as Principal.String writes it
	attrContext   = "kaijutsu_context"   // the UUID of the context
	attrKernel    = "kaijutsu_kernel"    // the kernel's name
	attrTool      = "kaijutsu_tool"      // the program that the agent is
)

// Writer is who a note says wrote a line.
type Writer struct {
	Key string // of the attestation; "": the note does not say
	// By is the principal, on this kernel; of another an agent by its tool's
	// name, and nobody for people who are not known here.
	By     kaijutsu.Principal
	Model  string
	Doc    kaijutsu.DocumentID // the context it worked in; zero: the note does not say
	Author string              // of people: "Name <email>"
}

// Writers returns who wrote each of the first n lines of a file, by the note of
// the commit.
func (b *Book) Writers(a git.Authorship, path string, n int) []Writer {
	return b.reader(a).writers(path, n)
}

// reader finds the writers that one note names.
type reader struct {
	note   git.Authorship
	who    signatories
	kernel string
	byKey  map[string]Writer
}

func (b *Book) reader(a git.Authorship) *reader {
	return &reader{note: a, who: b.signatories(), kernel: b.cfg.Name, byKey: make(map[string]Writer)}
}

func (r *reader) writers(path string, n int) []Writer {
	out := make([]Writer, n)
	for i, key := range keysOf(r.note, path, n) {
		if key != "" {
			out[i] = r.writer(key)
		}
	}
	return out
}

// keysOf returns the key of each of the first n lines of a file; "" where the
// note does not say. Of entries that overlap the later counts, as in
// git.Authorship.KeyAt; it takes no longer than there are ranges and lines.
func keysOf(a git.Authorship, path string, n int) []string {
	keys := make([]string, n)
	free := make([]int, n+1) // of each line the next one without a key, itself included
	for i := range free {
		free[i] = i
	}
	next := func(i int) int {
		for free[i] != i {
			free[i] = free[free[i]]
			i = free[i]
		}
		return i
	}
	for _, f := range a.Files {
		if f.Path != path {
			continue
		}
		for e := len(f.Entries) - 1; e >= 0; e-- {
			for _, lines := range f.Entries[e].Ranges {
				for i := next(min(max(lines.First, 1)-1, n)); i < min(lines.Last, n); i = next(i) {
					keys[i], free[i] = f.Entries[e].Key, i+1
				}
			}
		}
	}
	return keys
}

// writer resolves a key.
func (r *reader) writer(key string) Writer {
	w, ok := r.byKey[key]
	if !ok {
		w = r.resolve(key)
		w.Key = key
		r.byKey[key] = w
	}
	return w
}

func (r *reader) resolve(key string) Writer {
	if strings.HasPrefix(key, "h_") {
		h, ok := r.note.Human(key)
		if !ok {
			return Writer{}
		}
		by := r.attested(humanAttributes(h))
		if by.IsZero() {
			by = r.who.find(emailIn(h.Author))
		}
		return Writer{By: by, Author: valid(h.Author)}
	}
	if s, ok := r.note.Session(key); ok {
		w := Writer{By: r.attested(s.Attributes), Model: s.Model}
		if w.By.IsZero() {
			w.By = tool(s.Tool)
		}
		if cid, err := kaijutsu.ParseContextID(s.Attributes[attrContext]); err == nil {
			w.Doc = cid.Document()
		}
		return w
	}
	var prompt struct {
		Agent struct{ Tool, Model string } `json:"agent_id"`
	}
	if raw, ok := r.note.Meta.Prompts[key]; ok && json.Unmarshal(raw, &prompt) == nil {
		return Writer{By: tool(prompt.Agent.Tool), Model: valid(prompt.Agent.Model)}
	}
	return Writer{}
}

// attested returns the principal that attributes name, if they are of this
// kernel.
func (r *reader) attested(attrs map[string]string) kaijutsu.Principal {
	if kernel, ok := attrs[attrKernel]; ok && kernel != r.kernel {
		return kaijutsu.Principal{}
	}
	kind, name, _ := strings.Cut(attrs[attrPrincipal], ":")
	p := kaijutsu.Principal{Name: name, Kind: kaijutsu.PrincipalKind(kind)}
	switch p.Kind {
	case kaijutsu.Person, kaijutsu.Agent, kaijutsu.Service:
		if isName(name) {
			return p
		}
	}
	return kaijutsu.Principal{}
}

// tool is the agent that a note names by its tool alone.
func tool(name string) kaijutsu.Principal {
	if !isName(name) {
		return kaijutsu.Principal{}
	}
	return kaijutsu.Principal{Name: name, Kind: kaijutsu.Agent}
}

// humanAttributes returns the attributes of a person. The format names none for
// people; readers pass over what they do not know.
func humanAttributes(h git.Human) map[string]string {
	var attrs map[string]string
	if json.Unmarshal(h.Extra["custom_attributes"], &attrs) != nil {
		return nil
	}
	return attrs
}
