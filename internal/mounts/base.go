package mounts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"kaijutsu"
	"kaijutsu/blocks"
	guards "kaijutsu/internal/guard"
	"kaijutsu/internal/records"
)

const (
	basePrefix = "mounts/base/"
	// maxBases is how many commits of a file are remembered: a reset goes back to
	// one of them.
	maxBases = 8
	// maxBaseHeads bounds the heads of one.
	maxBaseHeads = 64
)

// baseRow says at which heads of its context a block held what was committed of
// it, the newest last.
type baseRow struct {
	V     int        `json:"v"`
	Bases []baseItem `json:"bases"`
}

type baseItem struct {
	Sum   string   `json:"sha256"` // of what was committed
	Heads []string `json:"heads"`
}

func baseName(doc kaijutsu.DocumentID, block blocks.ID) string {
	return basePrefix + doc.String() + "/" + string(block)
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func (m *Mounts) bases(name string) baseRow {
	row := baseRow{}
	value, err := m.cfg.Store.Record(name)
	if err == nil {
		err = strictly(value, &row, &row.V)
	}
	if err != nil {
		if !errors.Is(err, kaijutsu.ErrNotFound) {
			m.log.Warn("base of a file not read: all of it counts as new", "record", name, "err", err)
		}
		return baseRow{}
	}
	return row
}

// rebase notes that files were committed as they are at a context's heads.
func (m *Mounts) rebase(ctx context.Context, n telling) error {
	if len(n.heads) > maxBaseHeads {
		return nil
	}
	rs := make([]records.Record, len(n.files))
	for i, f := range n.files {
		name, item := baseName(n.doc, f.Block), baseItem{sumOf(f.Data), n.heads.Texts()}
		row := m.bases(name)
		row.V = recordVersion
		if k := len(row.Bases); k == 0 || row.Bases[k-1].Sum != item.Sum {
			row.Bases = append(row.Bases, item)
		}
		row.Bases = row.Bases[max(0, len(row.Bases)-maxBases):]
		value, err := json.Marshal(row)
		if err != nil {
			return err
		}
		rs[i] = records.Record{Name: name, Value: value}
	}
	return m.store(ctx, rs)
}

// inheritBases gives a fork what is known of the files of what it was forked
// from.
func (m *Mounts) inheritBases(ctx context.Context, from, to kaijutsu.DocumentID) error {
	prefix := basePrefix + from.String() + "/"
	var rs []records.Record
	for name, err := range m.cfg.Store.Records(prefix) {
		if err != nil {
			return fmt.Errorf("bases of %s: %w", from.Name(), err)
		}
		value, err := m.cfg.Store.Record(name)
		if err != nil {
			return fmt.Errorf("bases of %s: %w", from.Name(), err)
		}
		rs = append(rs, records.Record{Name: basePrefix + to.String() + "/" + strings.TrimPrefix(name, prefix), Value: value})
	}
	return m.store(ctx, rs)
}

// store writes records of this node's store, as many at once as one wait for the
// disk takes.
func (m *Mounts) store(ctx context.Context, rs []records.Record) error {
	const workers = 64
	var group sync.WaitGroup
	errs := make([]error, min(workers, len(rs)))
	for w := range errs {
		group.Go(guards.Func(m.cfg.Log, "records of mounts", func() {
			for i := w; i < len(rs) && errs[w] == nil; i += workers {
				errs[w] = m.cfg.Store.PutRecord(ctx, rs[i].Name, rs[i].Value)
			}
		}))
	}
	group.Wait()
	return errors.Join(errs...)
}
