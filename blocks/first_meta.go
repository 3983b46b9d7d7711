package blocks

import "kaijutsu/internal/amfile"

// FirstMetas returns a function that tells the meta a block was made with, "" for
// none: what the change that made the block put there, whatever others made of
// it since. Changes that it had to read are kept while the function is.
func (m *Model) FirstMetas(log Log) func(ID) (string, error) {
	kept := keep(log)
	return func(id ID) (string, error) {
		b := m.blocks[id]
		if b == nil {
			return "", nil
		}
		i, ok := m.findChange(kept, b.id)
		if !ok {
			return "", nil
		}
		if e := last(b.fields, fieldMeta); e != nil && e.kind == valueString {
			if k, ok := m.findChange(kept, e.id); ok && k == i {
				return e.str, nil
			}
		}
		c, err := kept.Change(i)
		if err != nil {
			return "", err
		}
		return metaPut(c, amfile.OpID{Counter: uint64(b.id.counter)}), nil
	}
}

// metaPut returns the meta that a change put last into a block that it made.
func metaPut(c *amfile.Change, block amfile.OpID) string {
	meta := ""
	for i := range c.Ops {
		op := &c.Ops[i]
		if op.Obj != block || op.Seq || op.Key != fieldMeta.key() {
			continue
		}
		if meta = ""; op.Action == amfile.Put && op.Value.Type == amfile.String {
			meta = string(op.Value.Raw)
		}
	}
	return meta
}
