package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/badger/v4"

	"kaijutsu"
	"kaijutsu/internal/guard"
)

// Store is an open store. It is safe for concurrent use.
type Store struct {
	dir        string
	log        *slog.Logger
	minFree    int64
	acceptLoss bool
	wrote      func(began time.Time, took time.Duration, writes, bytes int) // or nil
	storageID  string
	lock       *os.File
	mark       *markFile // the keeper's
	marked     bool      // there was a mark at Open

	life     sync.RWMutex // held for writing while Badger is exchanged
	db       *badger.DB   // nil when closed, or when reopening failed
	closing  chan error   // of a Badger that has not closed yet
	readOnly bool         // Open found the disk too full; written by the committer

	batchRows, batchBytes int

	queue     chan *item
	look      chan struct{} // has the committer look whether it may write
	stop      chan struct{} // closed by Close
	committed chan struct{} // closed when the committer has ended
	cancel    context.CancelFunc
	helpers   sync.WaitGroup // sweeper, scrubber, keeper
	closeOnce sync.Once
	closeErr  error

	durable  atomic.Pointer[state]
	trouble  atomic.Pointer[error]
	damaged  atomic.Pointer[error]
	damages  damages
	scrubs   scrubs
	ballast  ballast
	back     background
	repairs  repairs
	count    counters
	chores   *chores
	suspects *suspects
	writer   *committer
}

// Open opens the store in o.Dir, making it if there is none, and holds its
// lock until Close or the end of the process.
//
// The error says what to do. It wraps ErrUnavailable when another server has
// the directory or the disk is too full to recover from a crash; with a full
// disk and a store that was closed properly, Open succeeds and the store only
// reads. It wraps ErrDamaged when files are damaged, or writes that were
// durable are gone; the latter Options.AcceptLoss overrides.
func Open(o Options) (*Store, error) {
	s := &Store{
		dir:        o.Dir,
		log:        o.Log,
		minFree:    max(o.MinFree, flushBytes),
		acceptLoss: o.AcceptLoss,
		wrote:      o.Wrote,
		batchRows:  maxBatchRows,
		batchBytes: maxBatchBytes,
		queue:      make(chan *item, queueItems),
		look:       make(chan struct{}, 1),
		stop:       make(chan struct{}),
		committed:  make(chan struct{}),
		chores:     newChores(),
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if o.MinFree <= 0 {
		s.minFree = standardReserve(o.Dir)
	}
	s.ballast = ballast{path: filepath.Join(o.Dir, "ballast"), want: ballastBytes(s.minFree)}
	if err := s.open(); err != nil {
		return nil, fmt.Errorf("open store %s: %w", o.Dir, err)
	}
	return s, nil
}

func (s *Store) open() (err error) {
	if err := MakeDir(s.databaseDir()); err != nil {
		return err
	}
	if !allocates {
		s.log.Debug("files do not get their space before they are mapped")
	}
	if s.lock, err = lockDir(s.dir); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.release())
		}
	}()
	at, err := s.readMark()
	if err != nil {
		return err
	}
	found, err := inspect(s.databaseDir(), at)
	if err != nil {
		return fmt.Errorf("%w; %s", err, s.mendHint())
	}
	if found.fresh && at.counter > 0 {
		found.loss = errors.New("the database is gone")
	}
	// The first commit is before the first mark; nobody was told of it.
	if !found.fresh && !s.marked && found.version > firstVersion && found.loss == nil {
		found.loss = fmt.Errorf("the high-water mark %s is gone: whether writes are missing cannot be told", markPath(s.dir))
	}
	if found.loss != nil || found.tornManifest {
		if err := s.lost(found.loss); err != nil {
			return err
		}
		if err := found.setAside(s.dir); err != nil {
			return err
		}
	}
	for _, path := range found.damaged {
		if err := s.repairTable(path); err != nil {
			return fmt.Errorf("%s: %w; %s: %w", path, err, s.mendHint(), ErrDamaged)
		}
	}
	if s.mark == nil {
		if s.mark, err = makeMark(s.dir); err != nil {
			return fmt.Errorf("make the high-water mark: %w", err)
		}
	}
	if err := s.openFound(found); err != nil {
		return err
	}
	return s.start(found, at)
}

// firstVersion is Badger's version of a store's first commit.
const firstVersion = 1

func (s *Store) databaseDir() string { return filepath.Join(s.dir, "badger") }

func (s *Store) readMark() (mark, error) {
	file, at, found, err := openMark(s.dir)
	s.mark = file
	if err != nil {
		err = fmt.Errorf("read the high-water mark: %w", err)
		if file == nil {
			return mark{}, err
		}
		return mark{}, s.lost(err)
	}
	s.marked = found
	return at, nil
}

// lost returns the error that refuses to open, unless loss is accepted.
func (s *Store) lost(loss error) error {
	if loss == nil {
		return nil
	}
	if s.acceptLoss {
		s.log.Warn("data loss accepted", "err", loss)
		return nil
	}
	return fmt.Errorf("data loss detected: %w; %s, or start with --accept-loss: %w", loss, s.mendHint(), ErrDamaged)
}

// openFound opens Badger for writing, or only for reading when the disk is
// too full but nothing needs to be written to open.
func (s *Store) openFound(found inspection) error {
	if _, err := checkSpace(s.dir, 0, s.minFree); err != nil {
		if found.fresh {
			return err
		}
		s.setTrouble(err)
		if found.clean {
			return s.openDatabase(true)
		}
		if err := s.makeRoom(recoverBytes); err != nil {
			return err
		}
	}
	if err := found.cut(); err != nil {
		return err
	}
	return s.openDatabase(false)
}

// start reads the state and starts the goroutines.
func (s *Store) start(found inspection, at mark) error {
	now, err := readState(s.db)
	if errors.Is(err, errNewer) {
		return fmt.Errorf("%w: %w", err, kaijutsu.ErrInvalid)
	}
	if err != nil {
		return fmt.Errorf("%s: %w; %s: %w", keyName(stateKey), err, s.mendHint(), ErrDamaged)
	}
	if now.format == 0 && found.version > 0 {
		return fmt.Errorf("the database is not a store of this server, or has lost %s; %s: %w",
			keyName(stateKey), s.mendHint(), ErrDamaged)
	}
	if now.counter < at.counter {
		if err := s.lost(fmt.Errorf("the database has %d commits, %d were durable", now.counter, at.counter)); err != nil {
			return err
		}
		now.counter = at.counter
	}
	if now, err = s.heedGaps(now); err != nil {
		return err
	}
	first := now.format == 0
	if first {
		now.nextOutbox = 1 // so that all entries are after 0
	}
	now.format = storeFormat
	s.chores.start(now.nextNumber)
	s.publish(now)
	s.suspects = newSuspects(s.databaseDir(), s.db, s.foundDamage)
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.writer = newCommitter(s, now)
	go guard.Vital(s.log, "committer", s.writer.run)()
	if err := s.identify(ctx, first); err != nil {
		s.stopCommitter()
		return err
	}
	s.recallScrub()
	s.chores.poke()
	for _, helper := range []func(context.Context){s.sweep, s.examine, s.keep} {
		s.helpers.Go(guard.Keep(s.log, "helper of the store", ctx.Done(), func() { helper(ctx) }))
	}
	return nil
}

// identify reads the storage id, or makes it in the store's first commit.
func (s *Store) identify(ctx context.Context, first bool) error {
	const name = ownRecords + "storage_id"
	if !first {
		id, err := s.Record(name)
		s.storageID = string(id)
		if s.count.repaired.Load() == 0 || !errors.Is(err, kaijutsu.ErrNotFound) && !errors.Is(err, ErrDamaged) {
			return err
		}
		s.log.Warn("the storage id was in a table that was damaged: the store gets another", "err", err)
	}
	id := newUUID()
	if err := s.putRecord(ctx, name, []byte(id)); err != nil {
		return fmt.Errorf("make the storage id: %w", err)
	}
	s.storageID = id
	_, err := s.writeMark()
	// Who made the directory may not have got as far as to sync its name.
	return errors.Join(err, syncDir(s.dir), syncParent(s.dir))
}

// newUUID returns a random UUID (RFC 9562 §5.4).
func newUUID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// StorageID returns the UUID that the store got when it was made.
func (s *Store) StorageID() string { return s.storageID }

// Trouble returns why writes are refused at the moment, nil when they are not.
func (s *Store) Trouble() error {
	if err := s.damage(); err != nil && !s.acceptLoss {
		return err
	}
	if err := s.trouble.Load(); err != nil {
		return *err
	}
	return nil
}

// setTrouble says why writes are refused, and logs when that begins and ends.
// Only Open and the committer call it.
func (s *Store) setTrouble(err error) {
	var now *error
	if err != nil {
		now = &err
	}
	was := s.trouble.Swap(now)
	switch {
	case was == nil && err != nil:
		s.log.Warn("store is read-only", "err", err)
	case was != nil && err == nil:
		s.log.Info("store writes again")
	}
}

func (s *Store) damage() error {
	if err := s.damaged.Load(); err != nil {
		return *err
	}
	return nil
}

func (s *Store) setDamage(err error) { s.damaged.CompareAndSwap(nil, &err) }

// unavailable says why there is no database.
func (s *Store) unavailable() error {
	if err := s.trouble.Load(); err != nil {
		return *err
	}
	return errClosed
}

func (s *Store) publish(now state) { s.durable.Store(&now) }

// keepEvery is how often the high-water mark follows the commit counter.
const keepEvery = time.Second

// keep runs until ctx is done. It also has the committer look whether it may
// write, so that the end of a trouble does not wait for somebody who tries, and
// keeps the ballast.
func (s *Store) keep(ctx context.Context) {
	tick := time.NewTicker(keepEvery)
	defer tick.Stop()
	var written uint64
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		select {
		case s.look <- struct{}{}:
		default:
		}
		s.ballast.keep(s)
		now := s.durable.Load().counter
		if now == written || s.reading() {
			continue
		}
		at, err := s.writeMark()
		if err = errors.Join(err, allocateManifest(s.manifest())); err != nil {
			s.log.Warn("high-water mark not written", "err", err)
			if errors.Is(err, ErrDamaged) { // tables are gone: nothing is to be written over what is left
				s.setDamage(fmt.Errorf("%w: %w", err, kaijutsu.ErrUnavailable))
			}
			continue
		}
		written = at
	}
}

// reading reports whether the database is open for reading only.
func (s *Store) reading() bool {
	s.life.RLock()
	defer s.life.RUnlock()
	return s.readOnly
}

// writeMark brings the high-water mark up to what is durable, and returns the
// counter it has now, 0 when it was left as it is.
func (s *Store) writeMark() (uint64, error) {
	at, err := s.newMark()
	if err != nil || at.counter == 0 {
		return 0, err
	}
	return at.counter, s.mark.write(at)
}

// newMark returns the mark to write, or the zero mark when Badger shows more
// than is known to be durable: after a failed fsync, and for a moment between
// a commit and its announcement.
func (s *Store) newMark() (at mark, err error) {
	err = s.view(func(v view) error {
		now, version, err := v.state()
		at = mark{counter: now.counter, version: version}
		return err
	})
	if err != nil || at.counter > s.durable.Load().counter {
		return mark{}, err
	}
	return at, nil
}

// Close waits for the writes that were taken into a batch, refuses the
// others, and closes the store. Closing again returns the same.
func (s *Store) Close() error {
	s.closeOnce.Do(func() {
		s.stopCommitter()
		s.closeErr = s.release()
		if s.closeErr != nil {
			s.closeErr = fmt.Errorf("close store %s: %w", s.dir, s.closeErr)
		}
	})
	return s.closeErr
}

// stopCommitter ends all goroutines.
func (s *Store) stopCommitter() {
	close(s.stop)
	s.cancel()
	<-s.committed
	s.helpers.Wait()
}

// release closes what is open.
func (s *Store) release() error {
	var errs []error
	if s.db != nil && !s.readOnly && s.storageID != "" {
		_, err := s.writeMark()
		errs = append(errs, err)
	}
	if s.mark != nil {
		errs = append(errs, s.mark.Close())
	}
	s.life.Lock()
	defer s.life.Unlock()
	if err := s.unclosable(); err != nil {
		// Everything is in Badger's log. The directory stays locked for as long
		// as the process lives, as Badger runs on.
		s.db = nil
		return errors.Join(append(errs, fmt.Errorf("left as after a crash, nothing is lost: %w", err))...)
	}
	errs = append(errs, s.closeDatabase())
	if s.lock != nil {
		errs = append(errs, s.lock.Close())
	}
	return errors.Join(errs...)
}

// unclosable returns why Badger must not be closed: it would wait for a disk
// that does not take its memory, or die of it.
func (s *Store) unclosable() error {
	if s.db == nil || s.readOnly {
		return nil
	}
	if s.writer != nil && s.writer.failed != nil {
		return s.writer.failed
	}
	return s.makeRoom(flushBytes)
}
