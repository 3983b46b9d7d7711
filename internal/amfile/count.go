package amfile

// CountOps returns how many operations a change chunk claims to hold, before
// anything is decoded or allocated, so that the memory for them can be set
// aside: a few bytes may claim MaxOps. Where it cannot tell (a deflated chunk,
// a broken one) it returns MaxOps. It verifies nothing.
func CountOps(chunk []byte) int {
	if len(chunk) < chunkPrefixBytes || ChunkType(chunk[chunkPrefixBytes-1]) != ChunkChange {
		return MaxOps
	}
	r := reader{rest: chunk[chunkPrefixBytes:]}
	body := reader{rest: r.prefixed()}
	readHeader(&body)
	var table columnTable
	table.readHeader(&body, changeOpColumns, false)
	table.readData(&body)
	if r.err != nil || body.err != nil {
		return MaxOps
	}
	ops, _, err := countUints(table.get(colAction), MaxOps, maxSum)
	if err != nil {
		return MaxOps
	}
	return int(ops)
}

// checkDensity demands that a change which makes many operations has bytes for
// them.
func checkDensity(actions []byte, rows uint64, bodyBytes int) error {
	if rows <= FreeOps {
		return nil
	}
	d := newUintDecoder(actions)
	makes := 0
	for d.left > 0 || len(d.rest) > 0 {
		action, _ := d.next()
		if d.err != nil {
			return d.err
		}
		n := uint64(1)
		if d.kind != literalRun {
			n += d.left
			d.left = 0
		}
		if Action(action) != Delete {
			makes += int(n)
		}
	}
	if makes > FreeOps+bodyBytes {
		return tooSparse(makes, bodyBytes)
	}
	return nil
}

func tooSparse(makes, bodyBytes int) error {
	return tooLarge(5, "%d operations in %d bytes: want at most %d more than bytes", makes, bodyBytes, FreeOps)
}
