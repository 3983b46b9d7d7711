package access

import (
	"context"
	"fmt"
	"strings"

	"kaijutsu"
	"kaijutsu/internal/store"
)

// load moves the records that a server kept in its store before nodes shared
// them, and reads all of them.
func (t *Table) load(st *store.Store) error {
	if st != nil {
		if err := t.move(st); err != nil {
			return err
		}
	}
	for name, value := range t.records.All(anyRecord) {
		t.follow(name, value)
	}
	t.records.Watch(anyRecord, t.follow)
	return nil
}

// move takes the store's records over. One that cannot be read stops the start:
// this server alone has written it.
func (t *Table) move(st *store.Store) error {
	there := make(map[string]bool)
	for _, part := range []struct {
		prefix string
		check  func(name string, value []byte) error
	}{
		{principalRecord, func(name string, value []byte) error {
			there[name] = true
			_, err := decodePrincipal(name, value)
			return err
		}},
		{tokenRecord, func(name string, value []byte) error {
			var row tokenRow
			err := decode(value, &row)
			if err == nil {
				err = t.needPrincipal(there, row.Principal)
			}
			if err == nil {
				_, err = decodeToken(name, value)
			}
			return err
		}},
		{grantRecord, func(name string, value []byte) error {
			_, who, err := decodeGrantName(name)
			if err == nil {
				_, err = decodeGrant(who, value)
			}
			if err == nil {
				err = t.needPrincipal(there, who)
			}
			return err
		}},
	} {
		err := t.records.Move(context.Background(), st, part.prefix, func(name string, value []byte) error {
			return part.check(strings.TrimPrefix(name, part.prefix), value)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// needPrincipal refuses what belongs to a principal that is not there.
func (t *Table) needPrincipal(there map[string]bool, name string) error {
	if _, ok := t.records.Get(principalRecord + name); !ok && !there[name] {
		return fmt.Errorf("there is no principal %q: %w", name, kaijutsu.ErrInvalid)
	}
	return nil
}

// follow takes a record over, whoever has written it; nil: it is gone. One that
// cannot be read gives no right: its principal has none, its token is not good,
// and in its context nobody has what it grants. Those whose rights are others
// with it are told.
func (t *Table) follow(name string, value []byte) {
	var tell []func()
	err := func() error {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.unread, name)
		var err error
		switch {
		case strings.HasPrefix(name, principalRecord):
			tell, err = t.followPrincipalLocked(strings.TrimPrefix(name, principalRecord), value)
		case strings.HasPrefix(name, tokenRecord):
			tell, err = t.followTokenLocked(strings.TrimPrefix(name, tokenRecord), value)
		case strings.HasPrefix(name, subjectRecord):
			tell, err = t.followSubjectLocked(strings.TrimPrefix(name, subjectRecord), value)
		case strings.HasPrefix(name, grantRecord):
			tell, err = t.followGrantLocked(strings.TrimPrefix(name, grantRecord), value)
		default:
			err = fmt.Errorf("nobody knows what it is for: %w", kaijutsu.ErrInvalid)
		}
		if err != nil {
			t.unread[name] = err
		}
		return err
	}()
	if err != nil {
		t.log.Error("access record not read: it gives no right", "record", name, "err", err)
	}
	for _, f := range tell {
		f()
	}
}

func (t *Table) followPrincipalLocked(name string, value []byte) (tell []func(), err error) {
	was := t.principals[name]
	delete(t.principals, name)
	if value != nil {
		var p *principal
		if p, err = decodePrincipal(name, value); err == nil {
			t.principals[name] = p
		}
	}
	if now := t.principals[name]; was != nil && (now == nil || was.who != now.who || was.right != now.right) {
		tell = append(tell, func() { t.change(kaijutsu.DocumentID{}) })
	}
	return tell, err
}

func (t *Table) followTokenLocked(id string, value []byte) (tell []func(), err error) {
	var next *token
	if value != nil {
		next, err = decodeToken(id, value)
	}
	was := t.tokens[id]
	if was != nil {
		t.removeLocked(was)
	}
	if next != nil {
		if was != nil {
			next.used.Store(was.used.Load())
		}
		t.addLocked(next)
	}
	if was != nil {
		tell = t.endLocked(was, next)
	}
	return tell, err
}

func (t *Table) followGrantLocked(name string, value []byte) (tell []func(), err error) {
	doc, who, err := decodeGrantName(name)
	if err != nil {
		return nil, err
	}
	was, had := t.grants[doc][who]
	delete(t.grants[doc], who)
	if len(t.grants[doc]) == 0 {
		delete(t.grants, doc)
	}
	if value != nil {
		g, err2 := decodeGrant(who, value)
		if err = err2; err != nil {
			g = Grant{Principal: kaijutsu.Principal{Name: who}, Right: kaijutsu.RightNone}
		}
		if t.grants[doc] == nil {
			t.grants[doc] = make(grantsOf)
		}
		t.grants[doc][who] = g
	}
	if now, has := t.grants[doc][who]; had != has || was.Right != now.Right {
		tell = append(tell, func() { t.change(doc) })
	}
	return tell, err
}

// Unread returns how many records there are that cannot be read.
func (t *Table) Unread() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.unread)
}
