package git

import (
	"container/list"
	"sync"
)

// objectCache keeps recently read objects, by name and by place in a pack, up
// to a number of bytes. Their data is shared and must not be written to.
type objectCache struct {
	mu    sync.Mutex
	limit int
	used  int
	order *list.List // of *cached, the most recently used in front
	byKey map[any]*list.Element
}

type cached struct {
	key  any
	kind objectKind
	data []byte
}

// cachedCost is what an entry costs besides its data.
const cachedCost = 256

type packPlace struct {
	p   *pack
	off int64
}

func newObjectCache(limit int) *objectCache {
	return &objectCache{limit: limit, order: list.New(), byKey: map[any]*list.Element{}}
}

func (c *objectCache) get(h Hash) (objectKind, []byte, bool) { return c.lookup(h) }

func (c *objectCache) put(h Hash, kind objectKind, data []byte) { c.add(h, kind, data) }

func (c *objectCache) getAt(p *pack, off int64) (objectKind, []byte, bool) {
	return c.lookup(packPlace{p, off})
}

func (c *objectCache) putAt(p *pack, off int64, kind objectKind, data []byte) {
	c.add(packPlace{p, off}, kind, data)
}

func (c *objectCache) lookup(key any) (objectKind, []byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byKey[key]
	if e == nil {
		return "", nil, false
	}
	c.order.MoveToFront(e)
	v := e.Value.(*cached)
	return v.kind, v.data, true
}

func (c *objectCache) add(key any, kind objectKind, data []byte) {
	if len(data) > cachedObject {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byKey[key] != nil {
		return
	}
	c.byKey[key] = c.order.PushFront(&cached{key, kind, data})
	c.used += len(data) + cachedCost
	for c.used > c.limit {
		last := c.order.Back()
		v := c.order.Remove(last).(*cached)
		delete(c.byKey, v.key)
		c.used -= len(v.data) + cachedCost
	}
}
