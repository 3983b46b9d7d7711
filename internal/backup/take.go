package backup

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"kaijutsu"
)

// Fetch asks for the stream of a store, for a receiver that has what it has.
type Fetch func(ctx context.Context, have Have) (io.ReadCloser, error)

// TakeOptions say how a run is taken.
type TakeOptions struct {
	// Full takes everything anew: the run needs no other.
	Full bool
	// Progress is told how far it is, now and then; nil: nobody is.
	Progress func(Progress)
}

// Progress is how far a run is.
type Progress struct {
	Documents, Of uint64
	Bytes         int64 // on disk so far
}

// Taken is what came of a run.
type Taken struct {
	Run
	NewBytes int64    // written for it
	Sum      [32]byte // of the stream it was made of
	Stale    []Held   // documents that could not be read
	Unlisted string
	Rotten   []string // files of the run before that are damaged: the run does not need them
}

// Limits of how a document lies in a backup before it is taken whole again.
const (
	maxPlaces = 24
	// A part of which less than 1/leastLive is of use is emptied.
	leastLive = 4
)

// Take adds a run. It is there when Take returns nil, and else not at all. The
// error wraps kaijutsu.ErrConflict when the runs in the directory are of another
// kernel.
func (d *Dir) Take(ctx context.Context, fetch Fetch, o TakeOptions) (Taken, error) {
	t, err := d.take(ctx, fetch, o)
	if err != nil {
		return Taken{}, fmt.Errorf("take a backup into %s: %w", d.path, err)
	}
	return t, nil
}

func (d *Dir) take(ctx context.Context, fetch Fetch, o TakeOptions) (Taken, error) {
	if err := d.sweep(); err != nil {
		return Taken{}, err
	}
	t := &taking{dir: d, progress: o.Progress, index: &Index{}}
	var err error
	if !o.Full {
		if t.before, t.had, err = d.latest(); err != nil {
			return Taken{}, err
		}
		if t.before != nil {
			t.leaveRotten()
		}
	}
	if t.number, err = d.number(); err != nil {
		return Taken{}, err
	}
	stream, err := fetch(ctx, t.have())
	if err != nil {
		return Taken{}, err
	}
	defer stream.Close()
	defer t.clean()
	if err := t.receive(ctx, stream); err != nil {
		return Taken{}, err
	}
	return t.publish()
}

// taking is a run under way.
type taking struct {
	dir      *Dir
	number   int
	before   *Run     // nil: there is none
	had      *Index   // of that
	rotten   []string // of its parts: what is wrong with them
	header   Header
	progress func(Progress)

	index *Index
	parts []File // those of the run before, then its own
	own   int    // of its own parts: finished ones
	open  *part
	taken int
	sum   [32]byte
	wrote int64
}

func (t *taking) partial() string {
	return filepath.Join(t.dir.path, runName(t.number)+partialSuffix)
}

// clean removes what is there of a run that failed; of one that was published
// nothing is there under this name.
func (t *taking) clean() {
	if t.open != nil {
		t.open.abandon()
	}
	_ = os.RemoveAll(t.partial()) // the next run does it too
}

// leaveRotten reads the parts of the run before, and takes what is in those that
// are not what was written for unknown: it is sent anew.
func (t *taking) leaveRotten() {
	files := t.dir.reader()
	bad := make([]bool, len(t.before.Parts))
	for i, f := range t.before.Parts {
		if err := files.checkFile(f); err != nil {
			bad[i] = true
			t.rotten = append(t.rotten, err.Error())
		}
	}
	for i := range t.had.Documents {
		if d := &t.had.Documents[i]; slices.ContainsFunc(d.Places, func(p Place) bool { return bad[p.Part] }) {
			d.Places = nil
		}
	}
	t.had.Records = slices.DeleteFunc(t.had.Records, func(r HeldRecord) bool { return bad[r.Place.Part] })
}

// have returns what the run before has.
func (t *taking) have() Have {
	h := Have{docs: map[kaijutsu.DocumentID]had{}}
	if t.before == nil {
		return h
	}
	h.Storage = t.before.Storage
	stale := t.wasted()
	for _, d := range t.had.Documents {
		if len(d.Places) == 0 {
			continue
		}
		again := len(d.Places) >= maxPlaces || d.Stale != "" ||
			slices.ContainsFunc(d.Places, func(p Place) bool { return stale[p.Part] })
		h.docs[d.Doc] = had{extent: d.Extent, heads: digestHeads(d.Heads), last: d.Last, again: again}
	}
	return h
}

// wasted says of the parts of the run before which are to be emptied.
func (t *taking) wasted() []bool {
	live := t.had.live(len(t.before.Parts))
	wasted := make([]bool, len(live))
	for i, p := range t.before.Parts {
		wasted[i] = live[i] < p.Held/leastLive
	}
	return wasted
}

func (t *taking) receive(ctx context.Context, stream io.Reader) error {
	in, header, err := openStream(stream)
	if err != nil {
		return err
	}
	t.header = header
	if t.before != nil && t.before.Kernel != header.Kernel {
		return fmt.Errorf("the runs in it are of kernel %q, this is %q: name another directory: %w", t.before.Kernel, header.Kernel, kaijutsu.ErrConflict)
	}
	if t.before != nil && t.before.Storage != header.Storage {
		t.before, t.had = nil, nil // of a server that was restored, or of another node
	}
	if t.before != nil {
		t.parts = slices.Clone(t.before.Parts)
	}
	if err := os.Mkdir(t.partial(), 0o700); err != nil {
		return err
	}
	known := t.knownRecords()
	for {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		kind, payload, err := in.next()
		if err != nil {
			return err
		}
		switch kind {
		case frameSame:
			err = t.same(payload)
		case framePiece:
			err = t.piece(payload)
		case frameDamaged:
			err = t.damaged(payload)
		case frameRecord:
			err = t.record(payload, known)
		case frameDeleted:
			var doc kaijutsu.DocumentID
			doc, err = kaijutsu.DocumentIDFromBytes(payload)
			t.index.Deleted = append(t.index.Deleted, doc)
		case frameUnlisted:
			t.index.Unlisted = string(payload)
		case frameEnd:
			t.sum = [32]byte(payload)
			return t.finish()
		default:
			err = fmt.Errorf("frame of kind %q: %w", kind, errFormat)
		}
		if err != nil {
			return err
		}
	}
}

// tell tells how far it is.
func (t *taking) tell() {
	if t.progress == nil {
		return
	}
	p := Progress{Documents: uint64(len(t.index.Documents)), Of: t.header.Documents, Bytes: t.wrote}
	if t.open != nil {
		p.Bytes += t.open.size
	}
	t.progress(p)
}

func (t *taking) hold(h Held) { t.index.Documents = append(t.index.Documents, h); t.tell() }

// before returns what the run before holds of a document.
func (t *taking) held(doc kaijutsu.DocumentID) *Held {
	if t.had == nil {
		return nil
	}
	return t.had.find(doc)
}

func (t *taking) same(payload []byte) error {
	doc, err := kaijutsu.DocumentIDFromBytes(payload)
	if err != nil {
		return err
	}
	h := t.held(doc)
	if h == nil || len(h.Places) == 0 {
		return fmt.Errorf("document %s: the server takes it for known: %w", doc, errFormat)
	}
	t.hold(*h)
	return nil
}

func (t *taking) piece(payload []byte) error {
	p, err := decodePiece(payload)
	if err != nil {
		return err
	}
	h := Held{Extent: p.Extent, Last: p.Last, Authors: p.Authors}
	if p.Tail {
		known := t.held(p.Doc)
		if known == nil || len(known.Places) == 0 || known.Changes != p.From || known.Actors != p.FromActor {
			return fmt.Errorf("document %s: what was sent is the end of something else: %w", p.Doc, errFormat)
		}
		h.Covers, h.Places = known.Covers, slices.Clone(known.Places)
	}
	place, err := t.put(framePiece, payload)
	if err != nil {
		return err
	}
	h.Places = append(h.Places, place)
	t.taken++
	t.hold(h)
	return nil
}

// damaged keeps what the run before holds of a document.
func (t *taking) damaged(payload []byte) error {
	d := decoder{b: payload}
	doc, reason := d.document(), string(d.bytes())
	if err := d.done(); err != nil {
		return err
	}
	t.stale(doc, reason)
	return nil
}

func (t *taking) stale(doc kaijutsu.DocumentID, reason string) {
	h := Held{Stale: reason}
	h.Doc = doc
	if known := t.held(doc); known != nil {
		h = *known
		h.Stale = reason
	}
	t.hold(h)
}

func (t *taking) knownRecords() map[string]HeldRecord {
	known := map[string]HeldRecord{}
	if t.had != nil {
		wasted := t.wasted()
		for _, r := range t.had.Records {
			if !wasted[r.Place.Part] {
				known[r.Name] = r
			}
		}
	}
	return known
}

func (t *taking) record(payload []byte, known map[string]HeldRecord) error {
	d := decoder{b: payload}
	r := HeldRecord{Name: d.string(), SHA256: sum(d.bytes())}
	err := d.done()
	if err != nil {
		return err
	}
	if old, ok := known[r.Name]; ok && old.SHA256 == r.SHA256 {
		r.Place = old.Place
	} else if r.Place, err = t.put(frameRecord, payload); err != nil {
		return err
	}
	t.index.Records = append(t.index.Records, r)
	return nil
}

// put writes an entry into a part.
func (t *taking) put(kind byte, payload []byte) (Place, error) {
	if t.open != nil && t.open.size >= partBytes {
		if err := t.closePart(); err != nil {
			return Place{}, err
		}
	}
	if t.open == nil {
		p, err := createPart(filepath.Join(t.partial(), t.partName()))
		if err != nil {
			return Place{}, err
		}
		t.open = p
	}
	nth, size, err := t.open.put(kind, payload)
	return Place{Part: len(t.parts), Nth: nth, Size: size}, err
}

func (t *taking) partName() string { return fmt.Sprintf("part-%04d.zst", t.own+1) }

func (t *taking) closePart() error {
	f, err := t.open.finish(runName(t.number) + "/" + t.partName())
	t.open = nil
	t.parts, t.own, t.wrote = append(t.parts, f), t.own+1, t.wrote+f.Bytes
	return err
}

// finish is called at the end of the stream.
func (t *taking) finish() error {
	if t.open != nil {
		if err := t.closePart(); err != nil {
			return err
		}
	}
	if t.index.Unlisted != "" && t.had != nil {
		t.keepUnlisted()
	}
	slices.SortFunc(t.index.Documents, func(a, b Held) int { return a.Doc.Compare(b.Doc) })
	slices.SortFunc(t.index.Records, func(a, b HeldRecord) int { return cmp.Compare(a.Name, b.Name) })
	t.forget()
	return nil
}

// keepUnlisted keeps what the run before holds of documents that were neither
// listed nor deleted.
func (t *taking) keepUnlisted() {
	here := map[kaijutsu.DocumentID]bool{}
	for _, d := range t.index.Documents {
		here[d.Doc] = true
	}
	for _, doc := range t.index.Deleted {
		here[doc] = true
	}
	for _, d := range t.had.Documents {
		if !here[d.Doc] {
			t.stale(d.Doc, t.index.Unlisted)
		}
	}
}

// forget leaves out the parts that the run does not need.
func (t *taking) forget() {
	live := t.index.live(len(t.parts))
	to := make([]int, len(t.parts))
	var kept []File
	for i, f := range t.parts {
		to[i] = len(kept)
		if live[i] > 0 {
			kept = append(kept, f)
		}
	}
	for i := range t.index.Documents {
		d := &t.index.Documents[i]
		d.Places = slices.Clone(d.Places)
		for k := range d.Places {
			d.Places[k].Part = to[d.Places[k].Part]
		}
	}
	for i := range t.index.Records {
		p := &t.index.Records[i].Place
		p.Part = to[p.Part]
	}
	t.parts = kept
}

const staleNamed = 20

// publish writes index and manifest, and gives the directory its name.
func (t *taking) publish() (Taken, error) {
	index, err := createPart(filepath.Join(t.partial(), indexName))
	if err != nil {
		return Taken{}, err
	}
	if _, _, err := index.put(frameIndex, t.index.encode()); err != nil {
		index.abandon()
		return Taken{}, err
	}
	file, err := index.finish(runName(t.number) + "/" + indexName)
	if err != nil {
		return Taken{}, err
	}
	file.Held = 0
	m := t.manifest(file)
	raw, err := m.encode()
	if err == nil {
		err = writeDurable(filepath.Join(t.partial(), manifestName), raw)
	}
	if err == nil {
		err = syncDir(t.partial())
	}
	if err == nil {
		err = os.Rename(t.partial(), filepath.Join(t.dir.path, runName(t.number)))
	}
	if err == nil {
		err = syncDir(t.dir.path)
	}
	if err != nil {
		return Taken{}, err
	}
	return Taken{
		Run: Run{Number: t.number, Manifest: m}, NewBytes: t.wrote + file.Bytes + int64(len(raw)), Sum: t.sum,
		Stale: t.index.stale(), Unlisted: t.index.Unlisted, Rotten: t.rotten,
	}, nil
}

func (t *taking) manifest(index File) *Manifest {
	h := t.header
	m := &Manifest{
		Format: Format, Run: t.number, Storage: h.Storage, Kernel: h.Kernel, Version: h.Version, At: h.At,
		Counter: h.Counter, NextOutbox: h.NextOutbox,
		Documents: len(t.index.Documents), Changes: t.index.changes(), Records: len(t.index.Records), Deleted: len(t.index.Deleted),
		Taken: t.taken, Unlisted: t.index.Unlisted, Index: index, Parts: t.parts,
	}
	if t.before != nil {
		m.Previous = t.before.Number
	}
	for i, d := range t.index.stale() {
		if m.Stale++; i < staleNamed {
			if m.Reasons == nil {
				m.Reasons = map[string]string{}
			}
			m.Reasons[d.Doc.Name()] = d.Stale
		}
	}
	return m
}

func writeDurable(path string, b []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// SumText returns the checksum of the stream as text.
func (t Taken) SumText() string { return hex.EncodeToString(t.Sum[:]) }

// TakeFile takes a run into a new tar file, which holds everything. The error
// wraps kaijutsu.ErrConflict when there is such a file.
func TakeFile(ctx context.Context, path string, fetch Fetch, o TakeOptions) (Taken, error) {
	t, err := takeFile(ctx, path, fetch, o)
	if err != nil {
		return Taken{}, fmt.Errorf("take a backup into %s: %w", path, err)
	}
	return t, nil
}

func takeFile(ctx context.Context, path string, fetch Fetch, o TakeOptions) (t Taken, err error) {
	if _, err := os.Lstat(path); err == nil {
		return t, fmt.Errorf("it is there already; name another file, or a directory, to which runs are added: %w", kaijutsu.ErrConflict)
	}
	tmp, err := os.MkdirTemp(filepath.Dir(path), "."+filepath.Base(path)+".*"+partialSuffix)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	work := &Dir{path: tmp}
	if t, err = work.take(ctx, fetch, o); err != nil {
		return t, err
	}
	whole := filepath.Join(tmp, "backup.tar")
	f, err := os.OpenFile(whole, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return t, err
	}
	err = writeTar(f, tmp, t.Manifest)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return t, err
	}
	err = os.Link(whole, path) // unlike a rename it replaces nothing
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = os.Rename(whole, path) // there are file systems without links
	}
	if err != nil {
		return t, err
	}
	return t, syncDir(filepath.Dir(path))
}
