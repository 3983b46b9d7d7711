package amfile

// deltaDecoder reads a delta column: the run-length encoded differences to the
// previous value, starting at 0. Nulls do not change the sum.
type deltaDecoder struct {
	runReader
	delta int64
	value int64
}

func newDeltaDecoder(col []byte) deltaDecoder { return deltaDecoder{runReader: newRunReader(col)} }

// next returns the next entry, false for null. A column that ends early, or
// whose sum passes 64 bits, fails.
func (d *deltaDecoder) next() (int64, bool) {
	switch d.entry() {
	case nullEntry:
		return 0, false
	case newEntry:
		if !d.read() {
			return 0, false
		}
	}
	sum := d.value + d.delta
	if (sum > d.value) != (d.delta > 0) {
		d.fail(broken(3, "delta column passes 64 bits"))
		return 0, false
	}
	d.value = sum
	return sum, true
}

// counter returns the next entry as an operation counter, false for null. A
// value outside 0..MaxCounter fails.
func (d *deltaDecoder) counter() (uint64, bool) {
	v, ok := d.next()
	if ok && (v < 0 || v > MaxCounter) {
		d.fail(broken(12, "counter %d: want 0 to %d", v, MaxCounter))
		return 0, false
	}
	return uint64(v), ok
}

func (d *deltaDecoder) read() bool {
	v, n := sleb(d.rest)
	switch {
	case n == 0:
		d.fail(errNumber)
		return false
	case d.fresh && v == d.delta:
		d.fail(broken(6, "equal values outside one run"))
		return false
	}
	d.rest = d.rest[n:]
	d.delta, d.fresh = v, true
	return true
}

// deltaEncoder writes a delta column. The zero value is ready to use.
type deltaEncoder struct {
	runs intEncoder
	last int64
}

// append adds a value; the difference to the one before must fit 64 bits.
func (e *deltaEncoder) append(v int64) {
	e.runs.append(v - e.last)
	e.last = v
}

func (e *deltaEncoder) appendNull() { e.runs.appendNull() }

// reset forgets the entries and keeps the buffers.
func (e *deltaEncoder) reset() {
	e.runs.reset()
	e.last = 0
}

// finish returns the column, empty when no value was appended. It aliases the
// encoder's buffer.
func (e *deltaEncoder) finish() []byte { return e.runs.finish() }
