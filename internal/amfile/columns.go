package amfile

import (
	"bytes"
	"fmt"
)

// columnSpec names a column: id<<4 | deflate<<3 | type.
type columnSpec uint32

// deflateBit marks a column whose data is deflated on its own.
const deflateBit columnSpec = 8

// The columns of operations. Those of ids and successors occur in document
// chunks only, those of predecessors in change chunks only.
const (
	colObjActor  columnSpec = 0x01
	colObjCtr    columnSpec = 0x02
	colKeyActor  columnSpec = 0x11
	colKeyCtr    columnSpec = 0x13
	colKeyStr    columnSpec = 0x15
	colIDActor   columnSpec = 0x21
	colIDCtr     columnSpec = 0x23
	colInsert    columnSpec = 0x34
	colAction    columnSpec = 0x42
	colValueMeta columnSpec = 0x56
	colValueRaw  columnSpec = 0x57
	colPredNum   columnSpec = 0x70
	colPredActor columnSpec = 0x71
	colPredCtr   columnSpec = 0x73
	colSuccNum   columnSpec = 0x80
	colSuccActor columnSpec = 0x81
	colSuccCtr   columnSpec = 0x83
	colExpand    columnSpec = 0x94
	colMarkName  columnSpec = 0xa5
)

// changeOpColumns are the columns of a change chunk, ascending.
var changeOpColumns = []columnSpec{
	colObjActor, colObjCtr, colKeyActor, colKeyCtr, colKeyStr, colInsert, colAction,
	colValueMeta, colValueRaw, colPredNum, colPredActor, colPredCtr, colExpand, colMarkName,
}

// String returns the spec as the specification writes it.
func (s columnSpec) String() string { return fmt.Sprintf("column 0x%02x", uint32(s)) }

// column is one column of a table and its data, which aliases the chunk.
type column struct {
	spec columnSpec // with the deflate bit as it is in the table
	size uint64
	data []byte
}

// columnTable is a decoded column table. The zero value is empty.
type columnTable struct {
	n    int
	cols [MaxColumns]column
}

// readHeader reads the table. Columns must be known (a list that ascends),
// ascend, and not be empty; deflated ones are allowed in document chunks only.
func (t *columnTable) readHeader(r *reader, known []columnSpec, deflated bool) {
	n := r.count(2, MaxColumns)
	last := -1
	for range n {
		spec, size := r.uint(), r.uint()
		if r.err != nil {
			return
		}
		plain := spec &^ uint64(deflateBit)
		switch {
		case spec != plain && !deflated:
			r.fail(broken(4, "deflated column 0x%02x in a change", plain))
		case size == 0:
			r.fail(broken(4, "column 0x%02x is listed but empty", plain))
		}
		i := last + 1
		for i < len(known) && uint64(known[i]) != plain {
			i++
		}
		if i == len(known) {
			r.fail(broken(4, "column 0x%02x is unknown, repeated or out of order", plain))
			return
		}
		last = i
		t.cols[t.n] = column{spec: columnSpec(spec), size: size}
		t.n++
	}
}

// readData slices the columns' data off r, in the order of the table.
func (t *columnTable) readData(r *reader) {
	for i := range t.cols[:t.n] {
		t.cols[i].data = r.take(t.cols[i].size)
	}
}

// inflate replaces deflated data; all of it together may grow to limit bytes.
// It returns what is left of the limit.
func (t *columnTable) inflate(limit int) (int, error) {
	for i := range t.cols[:t.n] {
		col := &t.cols[i]
		if col.spec&deflateBit == 0 {
			continue
		}
		data, err := inflate(col.data, limit)
		if err != nil {
			return 0, at(col.spec.String(), err)
		}
		if len(data) == 0 {
			return 0, broken(4, "column 0x%02x is listed but empty", uint32(col.spec))
		}
		limit -= len(data)
		col.data, col.spec, col.size = data, col.spec&^deflateBit, uint64(len(data))
	}
	return limit, nil
}

// get returns the data of a column, nil when the table does not have it.
func (t *columnTable) get(spec columnSpec) []byte {
	for i := range t.cols[:t.n] {
		if t.cols[i].spec == spec {
			return t.cols[i].data
		}
	}
	return nil
}

// add appends a column to the table under construction; empty ones are left
// out. Columns must be added in ascending order.
func (t *columnTable) add(spec columnSpec, data []byte) {
	if len(data) == 0 {
		return
	}
	t.cols[t.n] = column{spec, uint64(len(data)), data}
	t.n++
}

// deflate deflates each column of at least least bytes on its own.
func (t *columnTable) deflate(least int) {
	for i := range t.cols[:t.n] {
		col := &t.cols[i]
		if len(col.data) < least {
			continue
		}
		var out bytes.Buffer
		deflate(&out, col.data)
		col.spec |= deflateBit
		col.data, col.size = out.Bytes(), uint64(out.Len())
	}
}

// appendHeader appends the table, appendData the columns' data.
func (t *columnTable) appendHeader(dst []byte) []byte {
	dst = appendUleb(dst, uint64(t.n))
	for i := range t.cols[:t.n] {
		dst = appendUleb(dst, uint64(t.cols[i].spec))
		dst = appendUleb(dst, t.cols[i].size)
	}
	return dst
}

func (t *columnTable) appendData(dst []byte) []byte {
	for i := range t.cols[:t.n] {
		dst = append(dst, t.cols[i].data...)
	}
	return dst
}
