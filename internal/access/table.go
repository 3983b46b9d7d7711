package access

import (
	"crypto/sha256"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"kaijutsu"
	"kaijutsu/internal/op"
	"kaijutsu/internal/records"
	"kaijutsu/internal/store"
)

// Config says what a Table works with. Log and Records are required.
type Config struct {
	Log     *slog.Logger
	Records *records.Table
	// Store is where a server kept these records before nodes shared them; Open
	// moves them. Nil: there are none.
	Store *store.Store
	// Now is the clock; default time.Now.
	Now func() time.Time
	// Owners are principals that own the kernel without a token of this table:
	// their names are taken.
	Owners []kaijutsu.Principal
	// Changed is told that somebody's right to a document is another now, or,
	// with the zero id, that a right on the kernel is, here or on another node.
	// It must return at once. Nil: nobody is told.
	Changed func(kaijutsu.DocumentID)
}

// Table is the principals, their tokens and the grants. It is safe for
// concurrent use.
type Table struct {
	log     *slog.Logger
	records *records.Table
	now     func() time.Time
	owners  map[string]kaijutsu.Principal
	change  func(kaijutsu.DocumentID)

	writing chan struct{} // a token: one writer at a time

	mu         sync.RWMutex
	principals map[string]*principal             // guarded by mu; by name
	tokens     map[string]*token                 // guarded by mu; by id
	keys       map[string][]*token               // guarded by mu; by principal name
	secrets    map[[sha256.Size]byte]*token      // guarded by mu
	grants     map[kaijutsu.DocumentID]grantsOf  // guarded by mu
	watches    map[string]map[*watch]struct{}    // guarded by mu; by token id
	unread     map[string]error                  // guarded by mu; why, by record name
	identities map[kaijutsu.Principal]Identified // guarded by mu

	rests map[kaijutsu.DocumentID]kaijutsu.DocumentID // guarded by mu; see Rest

	subjects map[string]*subject // guarded by mu; by principal name
	bound    map[Subject]string  // guarded by mu; the principal's name
	visitors int                 // guarded by mu; tokens that are not on record
}

// grantsOf are the grants of a document by principal name.
type grantsOf map[string]Grant

// principal is what is known of one. It is replaced, never changed.
type principal struct {
	who   kaijutsu.Principal
	right kaijutsu.Right
	deny  []string
}

// token is a key to a principal, of whom it has the name alone. It is never
// changed, but for used.
type token struct {
	Token
	hash   [sha256.Size]byte
	former [sha256.Size]byte // of the secret before; good until Former
	bounds *op.Bounds        // of the scope
	issued time.Time         // of a visitor's: when its authority gave it out; zero: it is on record
	used   atomic.Int64      // Unix nanoseconds; 0: not since the start
}

// expired reports whether the token is not good any more.
func (t *token) expired(now time.Time) bool { return !t.Expires.IsZero() && !now.Before(t.Expires) }

// Open reads the table from its records, and follows them from then on. Nobody
// else may write access records before it returns. The error wraps
// kaijutsu.ErrInvalid when the store has one that this version cannot read.
func Open(cfg Config) (*Table, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	t := &Table{
		log: cfg.Log, records: cfg.Records, now: cfg.Now, change: cfg.Changed,
		owners:     make(map[string]kaijutsu.Principal),
		writing:    make(chan struct{}, 1),
		principals: make(map[string]*principal),
		tokens:     make(map[string]*token),
		keys:       make(map[string][]*token),
		secrets:    make(map[[sha256.Size]byte]*token),
		grants:     make(map[kaijutsu.DocumentID]grantsOf),
		watches:    make(map[string]map[*watch]struct{}),
		unread:     make(map[string]error),
		identities: make(map[kaijutsu.Principal]Identified),
		rests:      make(map[kaijutsu.DocumentID]kaijutsu.DocumentID),
		subjects:   make(map[string]*subject),
		bound:      make(map[Subject]string),
	}
	if t.change == nil {
		t.change = func(kaijutsu.DocumentID) {}
	}
	for _, p := range cfg.Owners {
		t.owners[p.Name] = p
	}
	if err := t.load(cfg.Store); err != nil {
		return nil, fmt.Errorf("read who has access: %w", err)
	}
	t.loadIdentities()
	return t, nil
}

// Kernel returns what a principal may do with the kernel as a whole, now:
// nothing when none of its tokens is good.
func (t *Table) Kernel(p kaijutsu.Principal) kaijutsu.Right {
	t.mu.RLock()
	defer t.mu.RUnlock()
	right, _ := t.kernelLocked(p)
	return right
}

// Right returns what a principal that may do so much with the kernel may do
// with a document: nothing when that is nothing and none of its tokens is good.
// It takes no longer than a few look-ups.
func (t *Table) Right(p kaijutsu.Principal, kernel kaijutsu.Right, doc kaijutsu.DocumentID) kaijutsu.Right {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.rightLocked(p, kernel, doc)
}

// Current returns what a principal may do with a document now, by its role on
// the kernel: nothing when none of its tokens is good. It is for connections
// that last, and takes little more than Right.
func (t *Table) Current(p kaijutsu.Principal, doc kaijutsu.DocumentID) kaijutsu.Right {
	t.mu.RLock()
	defer t.mu.RUnlock()
	kernel, live := t.kernelLocked(p)
	if !live {
		return kaijutsu.RightNone
	}
	return t.rightLocked(p, kernel, doc)
}

// kernelLocked returns the role of a principal on the kernel, and whether it
// has any token that is good.
func (t *Table) kernelLocked(p kaijutsu.Principal) (right kaijutsu.Right, live bool) {
	if p.IsZero() {
		return kaijutsu.RightNone, false
	}
	if t.owners[p.Name] == p {
		return kaijutsu.RightOwn, true
	}
	known := t.principals[p.Name]
	if known == nil || known.who != p || !t.liveLocked(p.Name) {
		return kaijutsu.RightNone, false
	}
	return known.right, true
}

// liveLocked reports whether a principal has a token that is good, or may get
// one of its authority.
func (t *Table) liveLocked(name string) bool {
	if s := t.subjects[name]; s != nil && s.live() {
		return true
	}
	for _, k := range t.keys[name] {
		if k.Expires.IsZero() || !k.expired(t.now()) {
			return true
		}
	}
	return false
}

func (t *Table) rightLocked(p kaijutsu.Principal, kernel kaijutsu.Right, doc kaijutsu.DocumentID) kaijutsu.Right {
	if p.IsZero() {
		return kaijutsu.RightNone
	}
	switch {
	case kernel >= kaijutsu.RightOwn:
		return kaijutsu.RightOwn
	case kernel == kaijutsu.RightNone && !t.liveLocked(p.Name):
		return kaijutsu.RightNone
	}
	right := t.grantedLocked(p, kernel, doc)
	for range len(t.rests) {
		on, ok := t.rests[doc]
		if !ok {
			break
		}
		doc, right = on, min(right, t.grantedLocked(p, kernel, on))
	}
	return right
}

func (t *Table) grantedLocked(p kaijutsu.Principal, kernel kaijutsu.Right, doc kaijutsu.DocumentID) kaijutsu.Right {
	if g, ok := t.grants[doc][p.Name]; ok {
		if known := t.principals[p.Name]; known != nil && known.who == p {
			return g.Right
		}
	}
	return kernel
}
