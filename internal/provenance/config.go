package provenance

import (
	"log/slog"
	"time"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/records"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

// Config says what an Index works with. Log, Store, Repo, Kernel and Table are
// required.
type Config struct {
	Log    *slog.Logger
	Store  *store.Store
	Repo   *repo.Repo
	Kernel *kernel.Kernel
	// Name is the kernel's name: citations and sources that name another are of
	// another kernel. Default "main".
	Name string
	// Table holds the markers of what was read. It is open and stays so for
	// longer than the Index.
	Table *records.Table
	// Bus tells which node keeps the marks; nil or embedded: this one.
	Bus *flowbus.Bus
	// Dir is where the cache file is, which may be deleted at any time. Empty:
	// every start reads each context once.
	Dir string
	// Hidden reports documents that are nobody's business; nil: there are none.
	Hidden func(kaijutsu.DocumentID) bool
	// Now is the clock; default time.Now.
	Now func() time.Time
}

// Service is who writes the marks.
var Service = kaijutsu.Principal{Name: "kaijutsu", Kind: kaijutsu.Service}
