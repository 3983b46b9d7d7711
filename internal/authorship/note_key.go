package authorship

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/git"
)

// rawJSON is what the metadata of a note keep as it is.
type rawJSON = json.RawMessage

// mark says who wrote a line: the key of a person or session, and of a session
// the change.
type mark struct {
	key, trace string
	at         time.Time // of the change
}

// String is the key of the attestation.
func (m mark) String() string {
	if m.trace == "" {
		return m.key
	}
	return m.key + "::" + m.trace
}

// markOfKey takes a key of a note apart.
func markOfKey(key string) mark {
	key, trace, _ := strings.Cut(key, "::")
	return mark{key: key, trace: trace}
}

// markOf returns the mark of a line, and enters its writer.
func (n *note) markOf(l Line) mark {
	w := writing{l.By, l.Doc, l.Model}
	key, ok := n.keys[w]
	if !ok {
		if l.By.Kind == kaijutsu.Person {
			key = n.human(l.By)
		} else {
			key = n.session(w)
		}
		n.keys[w] = key
	}
	if l.By.Kind == kaijutsu.Person {
		return mark{key: key}
	}
	return mark{key, git.TraceKey(l.Change.String()), l.Time}
}

// human enters a person. Of two who sign alike the second signs by its own name
// and no address.
func (n *note) human(by kaijutsu.Principal) string {
	identity := identityText(n.book.Signature(by))
	key := git.HumanKey(identity)
	if other, taken := n.humans[key]; taken && other != by {
		identity = identityText(git.Signature{Name: ownName(by.Name), Email: address(by.Name)})
		key = git.HumanKey(identity)
	}
	n.humans[key] = by
	attrs, err := json.Marshal(map[string]string{attrPrincipal: by.String(), attrKernel: n.book.cfg.Name})
	if err != nil {
		attrs = nil // strings are JSON
	}
	n.out.Meta.Humans[key] = git.Human{Author: identity, Extra: map[string]rawJSON{"custom_attributes": attrs}}
	return key
}

// session enters what an agent, or a service with a token, did in a context. Of
// two that are the same program the second goes by its own name.
func (n *note) session(w writing) string {
	id := w.doc.Name()
	p, _ := n.book.cfg.Access.Identity(w.by)
	tools := []string{p.Tool, w.by.Name, w.by.String()}
	if p.Tool == "" {
		tools = tools[1:]
	}
	for _, tool := range tools {
		key := git.SessionKey(tool, id)
		if other, taken := n.out.Meta.Sessions[key]; taken && other.Attributes[attrPrincipal] != w.by.String() {
			continue
		}
		s := git.Session{Tool: tool, ID: id, Model: w.model, Attributes: map[string]string{
			attrPrincipal: w.by.String(), attrContext: id, attrKernel: n.book.cfg.Name,
		}}
		if p.Tool != "" && p.Tool != tool {
			s.Attributes[attrTool] = p.Tool
		}
		n.out.Meta.Sessions[key] = s
		return key
	}
	return "" // all three are others': nobody's then
}

// adopt enters whom the parent's note names by a key, and reports whether it
// says who that is. What is known here already stays; a key that is somebody
// else's by now is not taken.
func (n *note) adopt(ctx context.Context, key string) bool {
	older := n.older.note
	if h, ok := older.Human(key); ok {
		by := n.older.writer(ctx, key).By
		if other, taken := n.humans[key]; taken {
			return other == by
		}
		n.humans[key], n.out.Meta.Humans[key] = by, n.older.trueOf(h, by)
		return true
	}
	if s, ok := older.Session(key); ok {
		id := markOfKey(key).key
		if _, there := n.out.Meta.Sessions[id]; !there {
			s.Attributes = n.older.own(s.Attributes, n.older.writer(ctx, key).By)
			n.out.Meta.Sessions[id] = s
		}
		return true
	}
	if p, ok := older.Meta.Prompts[key]; ok {
		n.out.Meta.Prompts[key] = p
		return true
	}
	return false
}

// keepUsed takes out whom no entry names.
func (n *note) keepUsed() {
	used := make(map[string]bool)
	for _, f := range n.out.Files {
		for _, e := range f.Entries {
			used[markOfKey(e.Key).key] = true
		}
	}
	forget(n.out.Meta.Humans, used)
	forget(n.out.Meta.Sessions, used)
	forget(n.out.Meta.Prompts, used)
}

func forget[V any](m map[string]V, used map[string]bool) {
	for key := range m {
		if !used[key] {
			delete(m, key)
		}
	}
}
