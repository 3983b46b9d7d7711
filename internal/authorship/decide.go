package authorship

import (
	"fmt"
	"strings"

	"kaijutsu"
	"kaijutsu/git"
)

// Policy says who authors a commit.
type Policy string

// The policies.
const (
	AuthorMost      Policy = "most"      // who has most of what survives of the change; the default
	AuthorCaller    Policy = "caller"    // who asks for the commit
	AuthorCommitter Policy = "committer" // the committer
)

// ParsePolicy reads a policy; "" is AuthorMost.
func ParsePolicy(s string) (Policy, error) {
	switch p := Policy(s); p {
	case "":
		return AuthorMost, nil
	case AuthorMost, AuthorCaller, AuthorCommitter:
		return p, nil
	}
	return "", kaijutsu.About("author", fmt.Errorf("author: %.64q: want most, caller or committer: %w", s, kaijutsu.ErrInvalid))
}

// Decide returns the author and the co-authors of a commit whose change has
// these shares, in the order of Shares. By AuthorMost the author is the one
// with the greatest share; of equals the first name. A service never is; when
// nobody else has a share, the caller is. By AuthorCommitter the author is zero:
// the committer's signature is to be used.
//
// Co-authors are the others who have a share and an address on record, by share,
// each address once; services are not. Who signs without an address on record
// has one that stands for none.
func (b *Book) Decide(policy Policy, caller kaijutsu.Principal, shares []Share) (author Signed, co []Signed) {
	switch policy {
	case AuthorCommitter:
	case AuthorCaller:
		author = b.signed(caller)
	default:
		author = b.signed(caller)
		if i := first(shares); i >= 0 {
			author = b.signed(shares[i].By)
		}
	}
	seen := map[string]bool{strings.ToLower(author.Email): true}
	for _, s := range shares {
		p, _ := b.cfg.Access.Identity(s.By)
		email := strings.ToLower(p.Email)
		if s.Chars <= 0 || s.By == author.By || !authors(s.By) || email == "" || seen[email] {
			continue
		}
		seen[email] = true
		co = append(co, b.signed(s.By))
	}
	return author, co
}

// first returns the number of the greatest share of somebody who may author a
// commit, or -1.
func first(shares []Share) int {
	best := -1
	for i, s := range shares {
		if !authors(s.By) || s.Chars <= 0 {
			continue
		}
		if best < 0 || s.Chars > shares[best].Chars || s.Chars == shares[best].Chars && s.By.Name < shares[best].By.Name {
			best = i
		}
	}
	return best
}

func (b *Book) signed(by kaijutsu.Principal) Signed {
	if by.IsZero() {
		return Signed{}
	}
	return Signed{by, b.Signature(by)}
}

// TrailerPolicy says which trailers commits get.
type TrailerPolicy string

// The policies.
const (
	TrailersOff    TrailerPolicy = "off"
	TrailersPeople TrailerPolicy = "people" // co-authors that are people, nothing else
	TrailersAll    TrailerPolicy = "all"    // all co-authors, context and heads; the default
)

// ParseTrailerPolicy reads a policy; "" is TrailersAll.
func ParseTrailerPolicy(s string) (TrailerPolicy, error) {
	switch p := TrailerPolicy(s); p {
	case "":
		return TrailersAll, nil
	case TrailersOff, TrailersPeople, TrailersAll:
		return p, nil
	}
	return "", kaijutsu.About("trailers", fmt.Errorf("trailers: %.64q: want off, people or all: %w", s, kaijutsu.ErrInvalid))
}

// maxHeads is how many heads a trailer names. A document that has more is
// named without its heads: some of them would name another state.
const maxHeads = 64

// Trailers returns the trailers of a commit that was made of a context at some
// heads.
func Trailers(policy TrailerPolicy, co []Signed, doc kaijutsu.DocumentID, heads kaijutsu.Heads) []git.Trailer {
	var out []git.Trailer
	if policy == TrailersOff {
		return nil
	}
	for _, c := range co {
		if policy != TrailersPeople || c.By.Kind == kaijutsu.Person {
			out = append(out, git.Trailer{Key: "Co-authored-by", Value: identityText(c.Signature)})
		}
	}
	if policy == TrailersPeople || doc.IsZero() {
		return out
	}
	out = append(out, git.Trailer{Key: "Kaijutsu-Context", Value: doc.Name()})
	if n := len(heads); n > 0 && n <= maxHeads {
		out = append(out, git.Trailer{Key: "Kaijutsu-Heads", Value: strings.Join(heads.Texts(), ",")})
	}
	return out
}
