package authorship

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"time"

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
	// By is the principal of this kernel; zero: nobody known here.
	By     kaijutsu.Principal
	Model  string
	Doc    kaijutsu.DocumentID // the context it worked in; zero: none of this kernel
	Author string              // of people "Name <email>", of agents their tool
}

// Writers returns who wrote each of the first n lines of a file, by the note of
// the commit, which was made at a time. Anybody may write notes. A note of this
// kernel names a person who signs by the address that it gives, and an agent
// that works here in a context that is here; any other a person alone, by the
// address, as an author of a commit is found.
func (b *Book) Writers(ctx context.Context, a git.Authorship, at time.Time, path string, n int) []Writer {
	r := b.reader(a, at)
	out := make([]Writer, n)
	for i, key := range keysOf(a, path, n) {
		if key != "" {
			out[i] = r.writer(ctx, key)
		}
	}
	return out
}

// reader finds the writers that one note names.
type reader struct {
	book  *Book
	note  git.Authorship
	at    time.Time // of the commit
	who   signatories
	byKey map[string]Writer
}

func (b *Book) reader(a git.Authorship, at time.Time) *reader {
	return &reader{book: b, note: a, at: at, who: b.signatories(), byKey: make(map[string]Writer)}
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
func (r *reader) writer(ctx context.Context, key string) Writer {
	w, ok := r.byKey[key]
	if !ok {
		w = r.resolve(ctx, key)
		w.Key = key
		r.byKey[key] = w
	}
	return w
}

func (r *reader) resolve(ctx context.Context, key string) Writer {
	if strings.HasPrefix(key, "h_") {
		if h, ok := r.note.Human(key); ok {
			return r.human(h)
		}
		return Writer{}
	}
	if s, ok := r.note.Session(key); ok {
		return r.session(ctx, s)
	}
	var prompt struct {
		Agent struct{ Tool, Model string } `json:"agent_id"`
	}
	if raw, ok := r.note.Meta.Prompts[key]; ok && json.Unmarshal(raw, &prompt) == nil {
		return Writer{Author: valid(prompt.Agent.Tool), Model: valid(prompt.Agent.Model)}
	}
	return Writer{}
}

// human returns who a person of the note is. Of those who share an address the
// attributes tell which.
func (r *reader) human(h git.Human) Writer {
	email := emailIn(h.Author)
	w := Writer{By: r.attested(humanAttributes(h)), Author: valid(h.Author)}
	if w.By.Kind != kaijutsu.Person || !r.who.signs(w.By, email) {
		w.By = r.who.find(email, r.at)
	}
	return w
}

// session returns who an agent of the note is.
func (r *reader) session(ctx context.Context, s git.Session) Writer {
	w := Writer{Model: valid(s.Model), Author: valid(s.Tool)}
	by := r.attested(s.Attributes)
	cid, err := kaijutsu.ParseContextID(s.Attributes[attrContext])
	if by.IsZero() || by.Kind == kaijutsu.Person || err != nil {
		return w
	}
	doc := cid.Document()
	if here, err := r.book.cfg.Repo.Exists(ctx, doc); !r.book.cfg.Kernel.Deleted(doc) && (err != nil || !here) {
		return w
	}
	w.By, w.Doc, w.Author = by, doc, ""
	return w
}

// attested returns the member of this kernel that attributes name, if they are
// of this kernel.
func (r *reader) attested(attrs map[string]string) kaijutsu.Principal {
	kind, name, _ := strings.Cut(attrs[attrPrincipal], ":")
	p := kaijutsu.Principal{Name: name, Kind: kaijutsu.PrincipalKind(kind)}
	m, ok := r.book.cfg.Access.Member(name)
	if attrs[attrKernel] != r.book.cfg.Name || !ok || m.Principal != p {
		return kaijutsu.Principal{}
	}
	return p
}

// own returns attributes without what they say of this kernel, or of none, where
// that is not whom they were found to be of: nobody's forgery goes on in our
// notes. What they say of other kernels stays.
func (r *reader) own(attrs map[string]string, by kaijutsu.Principal) map[string]string {
	kernel, named := attrs[attrKernel]
	if named && kernel != r.book.cfg.Name || !by.IsZero() && attrs[attrPrincipal] == by.String() {
		return attrs
	}
	out := maps.Clone(attrs)
	for _, key := range []string{attrPrincipal, attrContext, attrKernel} {
		delete(out, key)
	}
	return out
}

// trueOf returns a person with its own attributes.
func (r *reader) trueOf(h git.Human, by kaijutsu.Principal) git.Human {
	attrs := humanAttributes(h)
	own := r.own(attrs, by)
	if len(own) == len(attrs) {
		return h
	}
	h.Extra = maps.Clone(h.Extra)
	raw, err := json.Marshal(own)
	if err != nil || len(own) == 0 {
		delete(h.Extra, "custom_attributes")
		return h
	}
	h.Extra["custom_attributes"] = raw
	return h
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
