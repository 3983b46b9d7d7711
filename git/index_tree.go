package git

import (
	"bytes"
	"encoding/hex"
	"strconv"
	"strings"
)

// cacheTree is the extension TREE of an index: the tree objects that its
// entries make, where they are known.
type cacheTree struct {
	name  string
	count int // entries below it; -1: not known, and no hash
	hash  Hash
	below []*cacheTree
}

// parseCacheTree reads the extension; nil if it makes no sense: git makes it
// anew.
func parseCacheTree(data []byte, entries int) *cacheTree {
	t, rest := parseCacheNode(data, entries, 0)
	if t == nil || len(rest) > 0 || t.name != "" {
		return nil
	}
	return t
}

func parseCacheNode(data []byte, most, depth int) (*cacheTree, []byte) {
	name, rest, ok := bytes.Cut(data, []byte{0})
	line, rest, ok2 := bytes.Cut(rest, []byte{'\n'})
	counts := strings.Split(string(line), " ")
	if !ok || !ok2 || len(counts) != 2 || depth > maxTreeDepth {
		return nil, nil
	}
	count, err := strconv.Atoi(counts[0])
	subtrees, err2 := strconv.Atoi(counts[1])
	if err != nil || err2 != nil || count < -1 || count > most || subtrees < 0 || subtrees > len(rest)/6 {
		return nil, nil
	}
	t := &cacheTree{name: string(name), count: count}
	if count >= 0 {
		if len(rest) < 20 {
			return nil, nil
		}
		t.hash, rest = Hash(hex.EncodeToString(rest[:20])), rest[20:]
	}
	for range subtrees {
		var sub *cacheTree
		if sub, rest = parseCacheNode(rest, most, depth+1); sub == nil || sub.name == "" {
			return nil, nil
		}
		t.below = append(t.below, sub)
	}
	return t, rest
}

func (t *cacheTree) append(out []byte, name string) []byte {
	out = append(append(out, name...), 0)
	out = strconv.AppendInt(out, int64(t.count), 10)
	out = append(out, ' ')
	out = strconv.AppendInt(out, int64(len(t.below)), 10)
	out = append(out, '\n')
	if t.count >= 0 {
		out, _ = hex.AppendDecode(out, []byte(t.hash))
	}
	for _, sub := range t.below {
		out = sub.append(out, sub.name)
	}
	return out
}

// invalidate forgets the trees on the way to a path, as
// cache_tree_invalidate_path of git does.
func (t *cacheTree) invalidate(path string) {
	for t != nil {
		t.count, t.hash = -1, ""
		name, rest, deeper := strings.Cut(path, "/")
		sub := t.find(name)
		if !deeper {
			if sub != nil { // a file where a directory was
				t.remove(name)
			}
			return
		}
		t, path = sub, rest
	}
}

func (t *cacheTree) find(name string) *cacheTree {
	for _, sub := range t.below {
		if sub.name == name {
			return sub
		}
	}
	return nil
}

func (t *cacheTree) remove(name string) {
	for i, sub := range t.below {
		if sub.name == name {
			t.below = append(t.below[:i:i], t.below[i+1:]...)
			return
		}
	}
}

// at returns the node of a directory, whose path ends in a slash; nil: it is
// not known.
func (t *cacheTree) at(dir string) *cacheTree {
	for t != nil && dir != "" {
		var name string
		name, dir, _ = strings.Cut(dir, "/")
		t = t.find(name)
	}
	return t
}
