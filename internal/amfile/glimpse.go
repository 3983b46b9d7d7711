package amfile

import "kaijutsu"

// Glimpse is what a stored change says of itself and of the objects that it is
// about, without its values, elements and predecessors. It takes a fifth of
// what DecodeChange takes. The zero value is ready to Read, again and again.
type Glimpse struct {
	Time    int64 // Unix seconds; clients may write any value
	StartOp uint64
	Actors  [][]byte // [0] is the author; they alias the chunk
	Ops     []GlimpseOp
}

// GlimpseOp is one operation, as far as a Glimpse goes.
type GlimpseOp struct {
	Action Action
	Obj    OpID // Actor is an index in Actors
	Key    string
	Seq    bool // it is about an element, and Key is empty
	True   bool // it puts the boolean true
}

// Read takes a glimpse at a stored, uncompressed change. Neither checksum nor
// rules are looked at, so it is for chunks that DecodeChange has accepted
// before. What was read before is overwritten. Errors wrap kaijutsu.ErrInvalid.
func (g *Glimpse) Read(chunk []byte) error {
	if len(chunk) < chunkPrefixBytes || ChunkType(chunk[chunkPrefixBytes-1]) != ChunkChange {
		return broken(1, "not an uncompressed change chunk")
	}
	framed := reader{rest: chunk[chunkPrefixBytes:]}
	r := reader{rest: framed.prefixed()}
	if framed.err != nil {
		return at("chunk", framed.err)
	}
	g.header(&r)
	var table columnTable
	table.readHeader(&r, changeOpColumns, false)
	table.readData(&r)
	if r.err != nil {
		return r.err
	}
	return g.ops(&table)
}

// header reads what stands before the operations.
func (g *Glimpse) header(r *reader) {
	r.take(uint64(r.count(len(kaijutsu.ChangeHash{}), MaxChunkBytes) * len(kaijutsu.ChangeHash{})))
	g.Actors = append(g.Actors[:0], r.prefixed())
	r.uint() // the sequence number
	g.StartOp, g.Time = r.uint(), r.int()
	r.prefixed() // the message
	for range r.count(1, MaxChunkBytes) {
		g.Actors = append(g.Actors, r.prefixed())
	}
}

// ops reads the columns that say which objects the operations are about.
func (g *Glimpse) ops(table *columnTable) error {
	rows, _, err := countUints(table.get(colAction), MaxOps, maxSum)
	if err != nil {
		return err
	}
	action := newUintDecoder(table.get(colAction))
	objActor, objCtr := newUintDecoder(table.get(colObjActor)), newUintDecoder(table.get(colObjCtr))
	keys := newStringDecoder(table.get(colKeyStr), MaxKeyBytes)
	value := newUintDecoder(table.get(colValueMeta))
	g.Ops = g.Ops[:0]
	for range rows {
		var op GlimpseOp
		what, _ := action.next()
		ctr, _ := objCtr.next()
		actor, _ := objActor.next()
		key, hasKey := keys.next()
		meta, _ := value.next()
		if actor >= uint64(len(g.Actors)) || what > uint64(Mark) {
			return broken(7, "object by actor %d of %d", actor, len(g.Actors))
		}
		op.Action, op.Obj, op.Key, op.Seq = Action(what), OpID{ctr, uint32(actor)}, key, !hasKey
		op.True = op.Action == Put && ValueType(meta&15) == True
		g.Ops = append(g.Ops, op)
	}
	return nil
}
