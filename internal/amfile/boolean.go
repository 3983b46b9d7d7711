package amfile

// boolDecoder reads a boolean column: run lengths of alternating value, the
// first one counting false. Only the first may be 0. A column that is not
// there yields false for ever.
type boolDecoder struct {
	rest   []byte
	left   uint64
	value  bool
	begun  bool
	absent bool
	err    error
}

func newBoolDecoder(col []byte) boolDecoder { return boolDecoder{rest: col, absent: len(col) == 0} }

func (d *boolDecoder) fail(err error) {
	if d.err == nil {
		d.err = err
	}
	d.rest, d.left, d.absent = nil, 0, true
}

// next returns the next entry. A column that ends early fails.
func (d *boolDecoder) next() bool {
	for d.left == 0 {
		if d.absent || !d.header() {
			return false
		}
	}
	d.left--
	return d.value
}

func (d *boolDecoder) header() bool {
	if len(d.rest) == 0 {
		d.fail(broken(6, "fewer entries than rows"))
		return false
	}
	count, n := uleb(d.rest)
	switch {
	case n == 0:
		d.fail(broken(3, "run length cut short or not in its shortest form"))
		return false
	case count == 0 && (d.begun || n == len(d.rest)):
		d.fail(broken(6, "boolean run of no length"))
		return false
	}
	d.rest = d.rest[n:]
	d.value = d.begun && !d.value
	d.left, d.begun = count, true
	return true
}

// finish reports the first failure, or that entries are left over.
func (d *boolDecoder) finish() error {
	switch {
	case d.err != nil:
		return d.err
	case d.left > 0 || len(d.rest) > 0:
		return broken(6, "more entries than rows")
	}
	return nil
}

// boolEncoder writes a boolean column. The zero value is ready to use.
type boolEncoder struct {
	out  []byte
	run  uint64
	last bool
	some bool // a true entry was appended
}

func (e *boolEncoder) append(v bool) {
	if v != e.last {
		e.out = appendUleb(e.out, e.run)
		e.last, e.run, e.some = v, 0, true
	}
	e.run++
}

// reset forgets the entries and keeps the buffer.
func (e *boolEncoder) reset() { *e = boolEncoder{out: e.out[:0]} }

// finish returns the column, empty when nothing was appended. It aliases the
// encoder's buffer. some reports whether an entry is true: most columns are
// left out when none is.
func (e *boolEncoder) finish() (col []byte, some bool) {
	if e.run > 0 {
		e.out = appendUleb(e.out, e.run)
		e.run = 0
	}
	return e.out, e.some
}
