package git

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"kaijutsu"
)

// objectKind is the type of an object, as it stands in its header.
type objectKind string

const (
	commitKind objectKind = "commit"
	treeKind   objectKind = "tree"
	blobKind   objectKind = "blob"
	tagKind    objectKind = "tag"
)

const (
	maxObject     = 256 << 20 // bytes of an object that is read at all
	maxAlternates = 64        // object directories behind one repository
	maxAlternDeep = 5         // as git's
	cachedObject  = 1 << 20   // larger objects are not kept
)

// objectStore reads the objects of a repository and of its alternates, loose
// and packed. It may be used by many goroutines, and notices packs that come
// and go.
type objectStore struct {
	dirs  []string // object directories, the repository's own first
	cache *objectCache

	mu      sync.Mutex
	packs   []*pack
	scanned map[string]time.Time // mtime of each pack directory when it was listed
	listed  time.Time
}

// openObjects finds the object directories behind a repository.
func openObjects(common string) (*objectStore, error) {
	s := &objectStore{cache: newObjectCache(32 << 20)}
	if err := s.addDir(filepath.Join(common, "objects"), 0); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *objectStore) addDir(dir string, depth int) error {
	for _, d := range s.dirs {
		if d == dir {
			return nil
		}
	}
	if depth > maxAlternDeep || len(s.dirs) == maxAlternates {
		return fmt.Errorf("object directory %s: too many alternates: %w", dir, kaijutsu.ErrTooLarge)
	}
	s.dirs = append(s.dirs, dir)
	data, err := readSmall(filepath.Join(dir, "info", "alternates"))
	if err != nil {
		return fmt.Errorf("reading alternates: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || line[0] == '#' {
			continue
		}
		if !filepath.IsAbs(line) {
			line = filepath.Join(dir, line)
		}
		if err := s.addDir(filepath.Clean(line), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// read returns an object whose content has the name asked for. The data is
// shared: nobody writes to it.
func (s *objectStore) read(h Hash, limit int64) (objectKind, []byte, error) {
	if !isHash(string(h)) {
		return "", nil, fmt.Errorf("object name %.80q is not 40 hexadecimal digits: %w", h, kaijutsu.ErrInvalid)
	}
	if limit <= 0 || limit > maxObject {
		limit = maxObject
	}
	if kind, data, ok := s.cache.get(h); ok {
		if int64(len(data)) > limit {
			return "", nil, tooLarge(h, int64(len(data)), limit)
		}
		return kind, data, nil
	}
	kind, data, err := s.find(h, limit)
	if err != nil {
		return "", nil, err
	}
	if hashObject(kind, data) != h {
		return "", nil, fmt.Errorf("object %s is corrupt: its content has another name; run git fsck: %w", h, kaijutsu.ErrInvalid)
	}
	s.cache.put(h, kind, data)
	return kind, data, nil
}

func tooLarge(h Hash, size, limit int64) error {
	return fmt.Errorf("object %s has %d bytes, the limit is %d: %w", h, size, limit, kaijutsu.ErrTooLarge)
}

// find looks into the packs that are known, the loose objects, and packs that
// came since.
func (s *objectStore) find(h Hash, limit int64) (objectKind, []byte, error) {
	for again := range 2 {
		packs, changed, err := s.packList(again == 1)
		if err != nil {
			return "", nil, err
		}
		if again == 1 && !changed {
			break
		}
		for _, p := range packs {
			off, ok, err := p.find(h)
			if err != nil {
				return "", nil, err
			}
			if ok {
				return p.object(s, off, limit)
			}
		}
		for _, dir := range s.dirs {
			kind, data, err := readLoose(dir, h, limit)
			if err == nil || !errors.Is(err, fs.ErrNotExist) {
				return kind, data, err
			}
		}
	}
	return "", nil, fmt.Errorf("object %s: %w", h, kaijutsu.ErrNotFound)
}

// has reports whether the object is there; it is not read.
func (s *objectStore) has(h Hash) (bool, error) {
	if !isHash(string(h)) {
		return false, nil
	}
	for again := range 2 {
		packs, changed, err := s.packList(again == 1)
		if err != nil {
			return false, err
		}
		if again == 1 && !changed {
			return false, nil
		}
		for _, p := range packs {
			if _, ok, err := p.find(h); ok || err != nil {
				return ok, err
			}
		}
		for _, dir := range s.dirs {
			if _, err := os.Lstat(loosePath(dir, h)); err == nil {
				return true, nil
			}
		}
	}
	return false, nil
}

func loosePath(dir string, h Hash) string {
	return filepath.Join(dir, string(h[:2]), string(h[2:]))
}

func readLoose(dir string, h Hash, limit int64) (objectKind, []byte, error) {
	f, err := os.Open(loosePath(dir, h))
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	z, err := zlib.NewReader(f)
	if err != nil {
		return "", nil, corrupt(h, err)
	}
	defer z.Close()
	var head [32]byte
	n, err := io.ReadFull(z, head[:])
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", nil, corrupt(h, err)
	}
	line, rest, ok := bytes.Cut(head[:n], []byte{0})
	kind, digits, spaced := strings.Cut(string(line), " ")
	size, err := strconv.ParseInt(digits, 10, 62)
	if !ok || !spaced || err != nil || size < 0 || !knownKind(objectKind(kind)) {
		return "", nil, corrupt(h, errors.New("its header is no object header"))
	}
	if size > limit {
		return "", nil, tooLarge(h, size, limit)
	}
	data, err := readExactly(io.MultiReader(bytes.NewReader(rest), z), size)
	if err != nil {
		return "", nil, corrupt(h, err)
	}
	return objectKind(kind), data, nil
}

func knownKind(k objectKind) bool {
	return k == commitKind || k == treeKind || k == blobKind || k == tagKind
}

func corrupt(h Hash, err error) error {
	return fmt.Errorf("object %s is corrupt: %v; run git fsck: %w", h, err, kaijutsu.ErrInvalid)
}

// readExactly reads a stream that must have size bytes, without believing the
// size before the bytes are there.
func readExactly(r io.Reader, size int64) ([]byte, error) {
	if size <= 64<<10 {
		data := make([]byte, size)
		if _, err := io.ReadFull(r, data); err != nil {
			return nil, err
		}
		return data, atEnd(r)
	}
	var b bytes.Buffer
	b.Grow(int(min(size, 1<<20)) + bytes.MinRead)
	n, err := io.Copy(&b, io.LimitReader(r, size))
	if err != nil {
		return nil, err
	}
	if n != size {
		return nil, io.ErrUnexpectedEOF
	}
	return b.Bytes(), atEnd(r)
}

func atEnd(r io.Reader) error {
	var one [1]byte
	n, err := io.ReadFull(r, one[:])
	switch {
	case n > 0:
		return errors.New("it is longer than it states")
	case err == io.EOF:
		return nil
	}
	return err
}

// packList returns the packs that are there; with fresh it looks again, and
// says whether that could have brought something.
func (s *objectStore) packList(fresh bool) ([]*pack, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.scanned != nil && !fresh {
		return s.packs, false, nil
	}
	now := time.Now()
	times := map[string]time.Time{}
	same := s.scanned != nil
	for _, dir := range s.dirs {
		var t time.Time
		if st, err := os.Stat(filepath.Join(dir, "pack")); err == nil {
			t = st.ModTime()
		}
		times[dir] = t
		// A directory listed in the tick of its last change may have changed since.
		same = same && s.scanned[dir].Equal(t) && s.listed.Sub(t) > 2*time.Second
	}
	if same {
		return s.packs, false, nil
	}
	old := map[string]*pack{}
	for _, p := range s.packs {
		old[p.path] = p
	}
	var packs []*pack
	for _, dir := range s.dirs {
		names, err := filepath.Glob(filepath.Join(globQuote(filepath.Join(dir, "pack")), "pack-*.idx"))
		if err != nil {
			return nil, false, fmt.Errorf("listing packs: %w", err)
		}
		for _, idx := range names {
			name := strings.TrimSuffix(idx, ".idx") + ".pack"
			if p := old[name]; p != nil {
				packs = append(packs, p)
				continue
			}
			p, err := openPack(name, idx)
			if errors.Is(err, fs.ErrNotExist) {
				continue // it went away while we looked, or its pack is not there yet
			}
			if err != nil {
				return nil, false, err
			}
			packs = append(packs, p)
		}
	}
	changed := len(packs) != len(s.packs)
	for _, p := range packs {
		changed = changed || old[p.path] == nil
	}
	s.packs, s.scanned, s.listed = packs, times, now
	return s.packs, changed, nil
}

// globQuote escapes what filepath.Glob takes for a pattern.
func globQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// readObject returns an object, not longer than limit bytes (0: 256 MiB). The
// data is shared and must not be written to. Errors wrap kaijutsu.ErrNotFound,
// ErrTooLarge, or ErrInvalid for what is corrupt.
func (r *Repo) readObject(h Hash, limit int64) (objectKind, []byte, error) {
	return r.objects.read(h, limit)
}

// readKind returns the content of an object that must be of a kind.
func (r *Repo) readKind(h Hash, want objectKind) ([]byte, error) {
	kind, data, err := r.objects.read(h, 0)
	if err != nil {
		return nil, err
	}
	if kind != want {
		return nil, fmt.Errorf("object %s is a %s, not a %s: %w", h, kind, want, kaijutsu.ErrInvalid)
	}
	return data, nil
}

func (r *Repo) hasObject(h Hash) (bool, error) { return r.objects.has(h) }
