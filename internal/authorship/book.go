package authorship

import (
	"time"

	"kaijutsu"
	"kaijutsu/internal/access"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/repo"
)

// Config says what a Book works with. Repo, Kernel and Access are required.
type Config struct {
	Repo   *repo.Repo
	Kernel *kernel.Kernel
	Access *access.Table
	// Name is the kernel's name, by which notes tell principals of this kernel
	// from those of others; default "main".
	Name string
	// Now is the clock of signatures; default time.Now.
	Now func() time.Time
}

// Book tells who wrote what. It is safe for concurrent use.
type Book struct{ cfg Config }

// New returns a Book.
func New(cfg Config) *Book {
	if cfg.Name == "" {
		cfg.Name = "main"
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Book{cfg}
}

// The services that bring text in without having written it.
var (
	// Disk signs what was edited on a disk by nobody we know.
	Disk = kaijutsu.Principal{Name: "disk", Kind: kaijutsu.Service}
	// Git signs what came out of git.
	Git = kaijutsu.Principal{Name: "git", Kind: kaijutsu.Service}
)

// wrote reports whether a principal is a writer: somebody, and no part of the
// server.
func wrote(by kaijutsu.Principal) bool {
	return !by.IsZero() && !(by.Kind == kaijutsu.Service && access.Reserved(by.Name))
}

// model returns what an agent runs on: what is on record for it, else for the
// context it wrote in.
func (b *Book) model(by kaijutsu.Principal, doc kaijutsu.DocumentID) string {
	if by.Kind != kaijutsu.Agent {
		return ""
	}
	if p, _ := b.cfg.Access.Identity(by); p.Model != "" {
		return p.Model
	}
	_, name := b.cfg.Kernel.Model(doc)
	return name
}
