package mounts

import (
	"slices"
	"strings"

	"kaijutsu"
)

// known is what the records say. It follows them, whichever node writes.
type known struct {
	all      map[string]record                         // by id, removed ones too
	branches map[string]map[string]kaijutsu.DocumentID // contexts by mount's id and branch
	owners   map[kaijutsu.DocumentID]string            // the mounts' ids by context
	unread   map[string]string                         // names of records that cannot be read, and why
}

func (m *Mounts) openRecords() {
	m.known = known{
		all: make(map[string]record), branches: make(map[string]map[string]kaijutsu.DocumentID),
		owners: make(map[kaijutsu.DocumentID]string), unread: make(map[string]string),
	}
	for name, value := range m.cfg.Records.All(recordPrefix) {
		m.follow(name, value)
	}
	m.unwatch = m.cfg.Records.Watch(recordPrefix, m.follow)
	for name, value := range m.cfg.Records.All(recordPrefix) {
		m.follow(name, value) // what came in between
	}
}

// follow takes a record over; nil: it is gone.
func (m *Mounts) follow(name string, value []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.known.unread, name)
	id, hash, ofBranch := strings.Cut(strings.TrimPrefix(name, recordPrefix), "/")
	var err error
	if ofBranch {
		err = m.known.branch(id, hash, value)
	} else {
		err = m.known.mount(id, value)
	}
	if err != nil {
		m.known.unread[name] = err.Error()
		m.log.Error("mount record not read: the mount is closed", "record", name, "err", err)
	}
	m.wake()
}

func (k *known) mount(id string, value []byte) error {
	delete(k.all, id)
	if value == nil {
		return nil
	}
	r, err := decodeMount(id, value)
	if err == nil {
		k.all[id] = r
	}
	return err
}

func (k *known) branch(id, hash string, value []byte) error {
	of := k.branches[id]
	for branch, doc := range of {
		if branchHash(branch) == hash {
			delete(of, branch)
			delete(k.owners, doc)
		}
	}
	if value == nil {
		return nil
	}
	branch, doc, err := decodeBranch(hash, value)
	if err != nil {
		return err
	}
	if of == nil {
		of = make(map[string]kaijutsu.DocumentID)
		k.branches[id] = of
	}
	of[branch], k.owners[doc] = doc, id
	return nil
}

// mounted returns the records of the mounts that there are, by path; of two at one
// path the one that was added first counts, on every node.
func (k *known) mounted() []record {
	var out []record
	for _, r := range k.all {
		if r.removed.IsZero() {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b record) int {
		if n := strings.Compare(a.path, b.path); n != 0 {
			return n
		}
		if n := a.at.Compare(b.at); n != 0 {
			return n
		}
		return strings.Compare(a.id, b.id)
	})
	return out
}

// at returns the mount that has a path; false: none does.
func (k *known) at(path string) (record, bool) {
	for _, r := range k.mounted() {
		if r.path == path {
			return r, true
		}
	}
	return record{}, false
}

// context returns the context of the branch that a mount was on when its node
// last looked; zero: none is known.
func (k *known) context(r record) kaijutsu.DocumentID {
	return k.branches[r.id][r.current]
}

// mine returns the records of the mounts of a node that have their path, by path.
func (k *known) mine(node string) []record {
	var out []record
	path := ""
	for _, r := range k.mounted() {
		if r.path != path && r.node == node {
			out = append(out, r)
		}
		path = r.path
	}
	return out
}
