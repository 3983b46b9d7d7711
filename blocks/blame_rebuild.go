package blocks

import (
	"fmt"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// rebuild makes a text or list again that the model let go of, as change c saw
// it when it took it away. It reads the changes between the one that made it
// and c, of those the ones behind c.
func (o *origins) rebuild(id opID, f field, list bool, c *amfile.Change) (*sequence, error) {
	first, ok := o.m.findChange(o.log, id)
	if !ok {
		return nil, fmt.Errorf("operation %d of actor %s is not in the log: %w", id.counter, o.m.actors[id.actor], kaijutsu.ErrNotFound)
	}
	past, err := behind(o.log, c.Deps, first, &o.scans)
	if err != nil {
		return nil, err
	}
	// A model that shares the names of operations and knows this object only.
	s := &sequence{id: id, field: f, list: list}
	scratch := &Model{
		actors: o.m.actors, actorIndex: o.m.actorIndex,
		objects: map[opID]object{id: s}, delta: &Delta{},
	}
	for i, in := range past {
		if !in {
			continue
		}
		c, err := o.log.Change(first + i)
		if err != nil {
			return nil, fmt.Errorf("read change %d: %w", first+i, err)
		}
		if err := scratch.follow(c); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// follow applies the operations of a change on objects that the model holds.
func (m *Model) follow(c *amfile.Change) error {
	a := applying{m: m, c: c, actors: make([]uint32, len(c.Actors))}
	for i, actor := range c.Actors {
		k, ok := m.actorIndex[actor]
		if !ok {
			return fmt.Errorf("change %v is by actors that the model does not know: %w", c.Hash, kaijutsu.ErrInvalid)
		}
		a.actors[i] = k
	}
	for i := 0; i < len(c.Ops); {
		if obj := a.id(c.Ops[i].Obj); m.objects[obj] == nil {
			i++
			continue
		}
		i += a.apply(i)
	}
	return nil
}
