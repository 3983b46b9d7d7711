package amfile

// valueDecoder reads a value column: a run-length encoded column of
// length<<4|type and the bytes of all values, one after the other.
type valueDecoder struct {
	meta uintDecoder
	raw  []byte
}

func newValueDecoder(meta, raw []byte) valueDecoder {
	return valueDecoder{newUintDecoder(meta), raw}
}

// next returns the next entry, false for null (an entry without metadata,
// which is not the value null). Raw aliases the raw column. What the bytes
// hold is not looked at: see Value.check.
func (d *valueDecoder) next() (Value, bool) {
	meta, ok := d.meta.next()
	if !ok {
		return Value{}, false
	}
	size := meta >> 4
	if size > uint64(len(d.raw)) {
		d.meta.fail(broken(3, "value of %d bytes where %d are left", size, len(d.raw)))
		return Value{}, false
	}
	v := Value{Type: ValueType(meta & 15)}
	if size > 0 {
		v.Raw = d.raw[:size:size]
		d.raw = d.raw[size:]
	}
	return v, true
}

// finish reports the first failure, or that entries or bytes are left over.
func (d *valueDecoder) finish() error {
	if err := d.meta.finish(); err != nil {
		return err
	}
	if len(d.raw) > 0 {
		return broken(6, "%d bytes after the last value", len(d.raw))
	}
	return nil
}

// valueEncoder writes a value column. The zero value is ready to use.
type valueEncoder struct {
	meta uintEncoder
	raw  []byte
}

func (e *valueEncoder) append(v Value) {
	e.meta.append(uint64(len(v.Raw))<<4 | uint64(v.Type))
	e.raw = append(e.raw, v.Raw...)
}

func (e *valueEncoder) appendNull() { e.meta.appendNull() }

// reset forgets the entries and keeps the buffers.
func (e *valueEncoder) reset() {
	e.meta.reset()
	e.raw = e.raw[:0]
}

// finish returns the metadata and raw columns, each empty when it has no
// content. They alias the encoder's buffers.
func (e *valueEncoder) finish() (meta, raw []byte) { return e.meta.finish(), e.raw }
