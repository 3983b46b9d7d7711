package amfile

import (
	"math"
	"unicode/utf8"
)

// runKind is what the header of a run announces.
type runKind uint8

const (
	noRun      runKind = iota
	repeatRun          // one value, several times
	literalRun         // values, each different from its neighbour
	nullRun            // entries without a value
)

// entryKind is where the next entry of a run-length encoded column comes from.
type entryKind uint8

const (
	nullEntry entryKind = iota
	newEntry            // a value to read
	sameEntry           // the value read last
)

// runReader reads the run headers that run-length encoded columns share and
// refuses every form but the one that encoders write: no run of one, no two
// literal or null runs in a row, no column of nulls only. What compares
// values is left to the column's own decoder.
//
// A column that is not there (no bytes) yields nulls for ever. After the first
// failure a decoder yields nulls; finish tells.
type runReader struct {
	rest   []byte
	left   uint64 // entries left in the current run
	kind   runKind
	first  bool // the value of the current repeat run is not read yet
	fresh  bool // no null lies between the last value and the next
	values bool // a value was announced
	absent bool
	err    error
}

func newRunReader(col []byte) runReader {
	return runReader{rest: col, absent: len(col) == 0}
}

func (r *runReader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.rest, r.left, r.kind, r.absent = nil, 0, noRun, true
}

// entry takes one entry off the column; newEntry obliges the caller to read
// its value.
func (r *runReader) entry() entryKind {
	if r.left == 0 && !r.header() {
		return nullEntry
	}
	r.left--
	switch {
	case r.kind == literalRun:
		return newEntry
	case r.kind == nullRun:
		return nullEntry
	case r.first:
		r.first = false
		return newEntry
	}
	return sameEntry
}

// header reads the next run's header. It reports whether there is an entry.
func (r *runReader) header() bool {
	if r.absent {
		return false
	}
	if len(r.rest) == 0 {
		r.fail(broken(6, "fewer entries than rows"))
		return false
	}
	k, n := sleb(r.rest)
	if n == 0 {
		r.fail(broken(3, "run header cut short or not in its shortest form"))
		return false
	}
	r.rest = r.rest[n:]
	switch {
	case k > 1:
		r.kind, r.left, r.first, r.values = repeatRun, uint64(k), true, true
	case k == 1:
		r.fail(broken(6, "run of one value"))
	case k < 0:
		r.literals(k)
	default:
		r.nulls()
	}
	return r.left > 0
}

func (r *runReader) literals(k int64) {
	switch {
	case r.kind == literalRun:
		r.fail(broken(6, "two literal runs in a row"))
	case k < -math.MaxInt64 || -k > int64(len(r.rest)):
		r.fail(broken(3, "literal run longer than its column"))
	default:
		r.kind, r.left, r.values = literalRun, uint64(-k), true
	}
}

func (r *runReader) nulls() {
	count, n := uleb(r.rest)
	switch {
	case r.kind == nullRun:
		r.fail(broken(6, "two null runs in a row"))
	case n == 0 || count == 0:
		r.fail(broken(6, "null run of no length"))
	default:
		r.rest = r.rest[n:]
		r.kind, r.left, r.fresh = nullRun, count, false
	}
}

// finish reports the first failure, or that entries are left over.
func (r *runReader) finish() error {
	switch {
	case r.err != nil:
		return r.err
	case r.absent:
		return nil
	case r.left > 0 || len(r.rest) > 0:
		return broken(6, "more entries than rows")
	case !r.values:
		return broken(6, "column of nulls only")
	}
	return nil
}

// uintDecoder reads a run-length encoded column of unsigned numbers: counters,
// actor indexes, actions, value metadata and the counts of a group.
type uintDecoder struct {
	runReader
	last uint64
}

func newUintDecoder(col []byte) uintDecoder { return uintDecoder{runReader: newRunReader(col)} }

// next returns the next entry, false for null. A column that ends early fails.
func (d *uintDecoder) next() (uint64, bool) {
	switch d.entry() {
	case newEntry:
		ok := d.read()
		return d.last, ok
	case sameEntry:
		return d.last, true
	}
	return 0, false
}

func (d *uintDecoder) read() bool {
	v, n := uleb(d.rest)
	switch {
	case n == 0:
		d.fail(errNumber)
		return false
	case d.fresh && v == d.last:
		d.fail(broken(6, "equal values outside one run"))
		return false
	}
	d.rest = d.rest[n:]
	d.last, d.fresh = v, true
	return true
}

// countUints returns how many entries a run-length encoded column of unsigned
// numbers has and what they add up to (nulls count as 0), in time proportional
// to its bytes. It fails with kaijutsu.ErrTooLarge when either is more than
// its limit; both limits must be below 2^32.
func countUints(col []byte, maxEntries, maxSum uint64) (entries, sum uint64, err error) {
	d := newUintDecoder(col)
	for d.left > 0 || len(d.rest) > 0 {
		v, present := d.next()
		if d.err != nil {
			return 0, 0, d.err
		}
		n := uint64(1)
		if d.kind != literalRun {
			n += d.left
			d.left = 0
		}
		if n > maxEntries-entries {
			return 0, 0, tooLarge(5, "more than %d entries", maxEntries)
		}
		entries += n
		if !present {
			continue
		}
		if v > maxSum || v*n > maxSum-sum {
			return 0, 0, tooLarge(5, "entries add up to more than %d", maxSum)
		}
		sum += v * n
	}
	return entries, sum, nil
}

// stringDecoder reads a run-length encoded column of strings. It makes one Go
// string of the column and returns parts of it.
type stringDecoder struct {
	runReader
	text  string
	last  string
	limit uint64
}

// newStringDecoder reads col, whose values may have at most limit bytes.
func newStringDecoder(col []byte, limit uint64) stringDecoder {
	return stringDecoder{runReader: newRunReader(col), text: string(col), limit: limit}
}

// next returns the next entry, false for null. A column that ends early fails.
func (d *stringDecoder) next() (string, bool) {
	switch d.entry() {
	case newEntry:
		ok := d.read()
		return d.last, ok
	case sameEntry:
		return d.last, true
	}
	return "", false
}

func (d *stringDecoder) read() bool {
	size, n := uleb(d.rest)
	if n == 0 || size > uint64(len(d.rest)-n) {
		d.fail(broken(3, "string cut short"))
		return false
	}
	start := len(d.text) - len(d.rest) + n
	v := d.text[start : start+int(size)]
	switch {
	case size > d.limit:
		d.fail(tooLarge(14, "string of %d bytes: want at most %d", size, d.limit))
		return false
	case !utf8.ValidString(v):
		d.fail(broken(14, "string is not UTF-8"))
		return false
	case d.fresh && v == d.last:
		d.fail(broken(6, "equal values outside one run"))
		return false
	}
	d.rest = d.rest[n+int(size):]
	d.last, d.fresh = v, true
	return true
}

// codec writes one value of a run-length encoded column.
type codec[T comparable] interface {
	append(dst []byte, v T) []byte
}

type ulebCodec struct{}

func (ulebCodec) append(dst []byte, v uint64) []byte { return appendUleb(dst, v) }

type slebCodec struct{}

func (slebCodec) append(dst []byte, v int64) []byte { return appendSleb(dst, v) }

type stringCodec struct{}

func (stringCodec) append(dst []byte, v string) []byte {
	return append(appendUleb(dst, uint64(len(v))), v...)
}

// runEncoder writes the one form of a run-length encoded column that is
// accepted: equal neighbours in a repeat run, the others gathered in literal
// runs, nulls in null runs. The zero value is ready to use.
type runEncoder[T comparable, C codec[T]] struct {
	out     []byte // finished runs
	lit     []byte // encoded values of the open literal run
	litN    int64
	last    T
	run     int64 // entries equal to last, not yet written
	nullsN  uint64
	encoder C
}

type (
	uintEncoder   = runEncoder[uint64, ulebCodec]
	intEncoder    = runEncoder[int64, slebCodec]
	stringEncoder = runEncoder[string, stringCodec]
)

// reset forgets the entries and keeps the buffers.
func (e *runEncoder[T, C]) reset() {
	var none T
	e.out, e.lit, e.last = e.out[:0], e.lit[:0], none
	e.litN, e.run, e.nullsN = 0, 0, 0
}

func (e *runEncoder[T, C]) append(v T) {
	if e.run > 0 && v == e.last {
		e.run++
		return
	}
	e.flushNulls()
	e.flushRun()
	e.last, e.run = v, 1
}

func (e *runEncoder[T, C]) appendNull() {
	e.flushRun()
	e.flushLiterals()
	e.nullsN++
}

func (e *runEncoder[T, C]) flushRun() {
	switch {
	case e.run == 1:
		e.lit = e.encoder.append(e.lit, e.last)
		e.litN++
	case e.run > 1:
		e.flushLiterals()
		e.out = appendSleb(e.out, e.run)
		e.out = e.encoder.append(e.out, e.last)
	}
	e.run = 0
}

func (e *runEncoder[T, C]) flushLiterals() {
	if e.litN == 0 {
		return
	}
	e.out = appendSleb(e.out, -e.litN)
	e.out = append(e.out, e.lit...)
	e.lit, e.litN = e.lit[:0], 0
}

func (e *runEncoder[T, C]) flushNulls() {
	if e.nullsN == 0 {
		return
	}
	e.out = append(e.out, 0)
	e.out = appendUleb(e.out, e.nullsN)
	e.nullsN = 0
}

// finish returns the column, empty when no value was appended. It aliases the
// encoder's buffer.
func (e *runEncoder[T, C]) finish() []byte {
	e.flushRun()
	e.flushLiterals()
	if len(e.out) > 0 {
		e.flushNulls()
	}
	return e.out
}
