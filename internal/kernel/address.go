package kernel

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// Address is where an address leads: to a context of this kernel, or to another
// kernel, which knows the rest.
type Address struct {
	Kernel string              // empty: this one
	Doc    kaijutsu.DocumentID // of this kernel
	Rest   string              // of another: what it calls the context
}

// Address finds what an address means. The first of these that fits decides:
//
//   - "" and "." are the context of the call, ".parent" what that was forked
//     from, ".parent.parent" what that one was
//   - an id or automerge URL in full
//   - a label
//   - a title, exactly; the beginning of an id, from 4 characters on; the end of
//     a UUID, from 6 on: the short id. A title that is the same as one of another
//     context's is no better than that: both are meant
//   - the beginning of a title; case does not count
//   - "kernel:address", where the name of this kernel means the same as none.
//     What begins so is not taken for the beginning of a title. One that is a
//     title too may mean either, if there is such a kernel.
//
// Contexts that the caller may not read do not exist, and archived ones count
// when no other fits. The error wraps kaijutsu.ErrNotFound when there is none, on
// any node that can be asked, and says what may have been meant; ErrConflict
// when there are several, and names them.
func (k *Kernel) Address(ctx context.Context, c op.Call, text string) (Address, error) {
	if text == "" || text == "." {
		text = c.Context
		if text == "" || strings.HasPrefix(text, ".") {
			return Address{}, &op.FieldError{Field: "context", Reason: "none is named, and the call has none", Hint: "name one by id, automerge URL, label or title"}
		}
	}
	if chain.MatchString(text) {
		doc, err := k.ancestor(ctx, c, strings.Count(text, ".parent"))
		return Address{Doc: doc}, err
	}
	other, rest := cutKernel(text)
	if other == "" {
		doc, err := k.find(ctx, c, text)
		return Address{Doc: doc}, err
	}
	found, err := k.exactly(ctx, c, text) // no UUID has a colon
	switch {
	case err != nil:
		return Address{}, err
	case len(found) == 1:
		return Address{Doc: found[0].doc}, k.onlyTitle(ctx, c, found[0], other, rest)
	case len(found) > 1:
		return Address{}, k.ambiguous(c, text, found)
	case other != k.cfg.Kernel && (rest == "." || chain.MatchString(rest)):
		return Address{}, fmt.Errorf("context %.100q: %w: . and .parent are places of the call, which is in this kernel; name a context of %s by its label, id or title", text, kaijutsu.ErrInvalid, other)
	case other != k.cfg.Kernel:
		return Address{Kernel: other, Rest: rest}, nil
	}
	here, err := k.Address(ctx, c, rest)
	if err == nil && here.Kernel != "" {
		err = fmt.Errorf("context %.100q: %w: it names two kernels", text, kaijutsu.ErrInvalid)
	}
	return here, err
}

// onlyTitle refuses a title that is an address in a kernel, too: of one that is
// known, or of this one when it means another context.
func (k *Kernel) onlyTitle(ctx context.Context, c op.Call, s *summary, other, rest string) error {
	says := ""
	if other == k.cfg.Kernel {
		if here, err := k.Address(ctx, c, rest); err == nil && here.Kernel == "" && here.Doc != s.doc {
			says = k.shortFor(c, here.Doc)
		}
	} else if k.cfg.Knows != nil && k.cfg.Knows(other) {
		says = fmt.Sprintf("%q of the kernel %s", clip(rest), other)
	}
	if says == "" {
		return nil
	}
	return fmt.Errorf("context %.100q: %w: it may mean %s, or %s; the id of the one or a new title for it mends that", other+":"+rest, kaijutsu.ErrConflict, k.called(c, s), says)
}

// chain is the address of an ancestor of the call's context.
var chain = regexp.MustCompile(`^(\.parent)+$`)

// kernelWord is the name of a kernel.
var kernelWord = regexp.MustCompile(`^[a-z0-9-]{1,32}$`)

// cutKernel takes an address apart into a kernel and the rest; the kernel is
// empty when it names none. What follows its colon is no space, as in most
// titles, and no slashes, as in a link.
func cutKernel(text string) (kernel, rest string) {
	kernel, rest, ok := strings.Cut(text, ":")
	if !ok || rest == "" || rest[0] == ' ' || strings.HasPrefix(rest, "//") || kernel == "automerge" || !kernelWord.MatchString(kernel) {
		return "", text
	}
	return kernel, rest
}

// ancestor returns what the call's context was forked from, so many times.
func (k *Kernel) ancestor(ctx context.Context, c op.Call, steps int) (kaijutsu.DocumentID, error) {
	at, err := k.Address(ctx, c, ".")
	for range steps {
		if err == nil && at.Kernel != "" {
			err = k.elsewhere(ctx, c, at)
		}
		if err != nil {
			return kaijutsu.DocumentID{}, err
		}
		if at.Doc, err = k.parent(ctx, c, at.Doc); err != nil {
			return kaijutsu.DocumentID{}, err
		}
	}
	return at.Doc, nil
}

// parent returns what a context was forked from, if the caller may read it.
func (k *Kernel) parent(ctx context.Context, c op.Call, doc kaijutsu.DocumentID) (kaijutsu.DocumentID, error) {
	from := k.records.get(doc).fork.From
	if from.IsZero() {
		return from, fmt.Errorf("context %s has no parent: %w: it was not forked from another", k.words(doc), kaijutsu.ErrNotFound)
	}
	if k.reach(ctx, c, from, "") != nil {
		return kaijutsu.DocumentID{}, fmt.Errorf("the parent of context %s: %w: it was deleted, or you may not read it", doc.Name(), kaijutsu.ErrNotFound)
	}
	return from, nil
}

// elsewhere refuses an address of another kernel where a context of this one is
// needed.
func (k *Kernel) elsewhere(ctx context.Context, c op.Call, a Address) error {
	text, hint := a.Kernel+":"+a.Rest, ""
	if all, err := k.summarize(ctx, c); err == nil {
		lower := strings.ToLower(text)
		begins := k.pick(all, func(s *summary) bool { return s.context && strings.HasPrefix(s.lower, lower) })
		if len(begins) > 0 {
			hint = "; did you mean " + k.listed(c, begins) + "?"
		}
	}
	return fmt.Errorf("context %.100q: %w: only drift goes to other kernels, and this one is %q%s", text, kaijutsu.ErrInvalid, k.cfg.Kernel, hint)
}
