package git

import (
	"sync"
)

// maxCachedFiles bounds the files that a fileCache keeps.
const maxCachedFiles = 10000

// fileCache keeps what was read out of small files until they change. The zero
// value is ready.
type fileCache struct {
	mu    sync.Mutex
	files map[string]cachedFile
}

type cachedFile struct {
	stamp fileStamp
	value any
}

// readCached returns what parse makes of a file; false: there is no such file,
// or it cannot be read. flags are added to those of open.
func readCached[T any](c *fileCache, name string, flags int, parse func([]byte) T) (T, bool) {
	stamp := stampOf(name)
	var none T
	if stamp == (fileStamp{}) {
		return none, false
	}
	c.mu.Lock()
	old, ok := c.files[name]
	c.mu.Unlock()
	if ok && old.stamp == stamp && !stamp.fresh() {
		value, ok := old.value.(T)
		return value, ok
	}
	data, err := readFile(name, maxSmallFile, flags)
	if err != nil {
		return none, false
	}
	value := parse(data)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.files == nil || len(c.files) >= maxCachedFiles {
		c.files = map[string]cachedFile{}
	}
	c.files[name] = cachedFile{stamp, value}
	return value, true
}
