package server

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/internal/audit"
	"kaijutsu/internal/backup"
	"kaijutsu/internal/catalog"
	"kaijutsu/internal/op"
	"kaijutsu/internal/store"
)

// BackupRecord is the record of the store that says when the last backup was
// taken.
const BackupRecord = "server/backup"

const (
	// backupsAtOnce is how many backups may be taken at a time.
	backupsAtOnce = 2
	// maxHaveBytes bounds what the taker of a backup says that it has.
	maxHaveBytes = 512 << 20
	// backupWrite bounds one write to the taker of a backup.
	backupWrite = time.Minute
)

// backups are those that are being taken, or were and are to be confirmed.
type backups struct {
	mu   sync.Mutex
	now  int
	sent map[string]catalog.BackupRow // by the checksum of the stream
}

// begin counts one more.
func (b *backups) begin() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.now >= backupsAtOnce {
		return fmt.Errorf("%d backups are being taken: %w: wait for one to end", b.now, kaijutsu.ErrUnavailable)
	}
	b.now++
	return nil
}

// end counts one less, and keeps what is to be confirmed.
func (b *backups) end(sum string, row *catalog.BackupRow) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now--
	if row == nil {
		return
	}
	const kept = 16
	if b.sent == nil || len(b.sent) >= kept {
		b.sent = map[string]catalog.BackupRow{}
	}
	b.sent[sum] = *row
}

func (b *backups) take(sum string) (catalog.BackupRow, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	row, ok := b.sent[sum]
	delete(b.sent, sum)
	return row, ok
}

func (b *backups) underWay() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

// mayBackUp asks whether somebody may take all that there is: through the
// operation that tells of backups, with all of its gates and its audit, and
// nobody whose token narrows what they may do.
func (s *Server) mayBackUp(ctx context.Context, c op.Call) error {
	if c.Bounds != nil {
		return fmt.Errorf("a backup holds everything, and this token is for part of it: %w: take another, or the owner's", kaijutsu.ErrDenied)
	}
	_, err := s.set.Call(ctx, c, "server_backup", json.RawMessage("{}"))
	return err
}

// serveBackup streams the whole store as it is now. The request says what its
// sender has already.
func (s *Server) serveBackup(w http.ResponseWriter, r *http.Request, c op.Call) (err error) {
	if err := s.mayBackUp(r.Context(), c); err != nil {
		return err
	}
	if err := s.backups.begin(); err != nil {
		return err
	}
	var sum string
	var row *catalog.BackupRow
	defer func() { s.backups.end(sum, row) }()
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(5 * readWithin)) // not supported where there is no connection: nothing to bound
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxHaveBytes))
	if err != nil {
		return fmt.Errorf("read what is had: %v: %w", err, kaijutsu.ErrInvalid)
	}
	_ = rc.SetReadDeadline(time.Time{})
	have, err := backup.DecodeHave(raw)
	if err != nil {
		return err
	}
	ctx := r.Context()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Cache-Control", "no-store")
	began := s.now()
	sent, err := backup.Send(ctx, paced{w, rc}, s.store, have, backup.Source{Kernel: s.cfg.Kernel, Version: s.cfg.Version, Now: began})
	_ = rc.SetWriteDeadline(time.Time{})
	if err != nil {
		s.log.Warn("backup not sent", "principal", c.By, "documents", sent.Documents, "err", err)
		return nil // the stream says why, as far as somebody reads it
	}
	sum = hex.EncodeToString(sent.Sum[:])
	row = &catalog.BackupRow{At: timeText(began), Documents: sent.Documents, Bytes: sent.Bytes, Unreadable: sent.Damaged, Principal: c.By.Name}
	s.log.Info("backup sent", "principal", c.By, "documents", sent.Documents, "bytes", sent.Bytes, "unreadable", sent.Damaged, "dur", s.now().Sub(began))
	s.auditNote(audit.Entry{
		At: s.now(), Action: "backup", Outcome: audit.Done, Principal: c.By.Name, Kind: string(c.By.Kind), Token: c.Token, Door: c.Door, From: c.From,
		About: map[string]string{"documents": fmt.Sprint(sent.Documents), "bytes": fmt.Sprint(sent.Bytes)},
	})
	return nil
}

// now is the time by the server's clock.
func (s *Server) now() time.Time {
	if s.cfg.Now != nil {
		return s.cfg.Now().UTC()
	}
	return time.Now().UTC()
}

// paced writes to somebody who has to take each write within a time, and gets it
// at once.
type paced struct {
	w  io.Writer
	rc *http.ResponseController
}

// Write writes and flushes.
func (p paced) Write(b []byte) (int, error) {
	if err := p.rc.SetWriteDeadline(time.Now().Add(backupWrite)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	n, err := p.w.Write(b)
	if err == nil {
		err = p.rc.Flush()
	}
	return n, err
}

// serveBackupDone notes that somebody has a backup safely, whose stream had this
// checksum.
func (s *Server) serveBackupDone(w http.ResponseWriter, r *http.Request, c op.Call) error {
	if err := s.mayBackUp(r.Context(), c); err != nil {
		return err
	}
	var in struct {
		Sum string `json:"sum"`
	}
	if err := json.NewDecoder(io.LimitReader(r.Body, 4<<10)).Decode(&in); err != nil {
		return &op.FieldError{Field: "sum", Reason: "it is not there", Hint: "send the checksum of the stream as hexadecimal digits"}
	}
	row, ok := s.backups.take(in.Sum)
	if !ok {
		return fmt.Errorf("a backup of this checksum was not sent lately: %w", kaijutsu.ErrNotFound)
	}
	if err := NoteBackup(r.Context(), s.store, row); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, "{}\n") // the client is gone
	return nil
}

// NoteBackup keeps with a store that it was backed up.
func NoteBackup(ctx context.Context, st *store.Store, row catalog.BackupRow) error {
	value, err := json.Marshal(row)
	if err != nil {
		return err
	}
	return st.PutRecord(ctx, BackupRecord, value)
}

// LastBackup returns when a store was backed up last; nil: never.
func LastBackup(st *store.Store) (*catalog.BackupRow, error) {
	value, err := st.Record(BackupRecord)
	if errors.Is(err, kaijutsu.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var row catalog.BackupRow
	if err := json.Unmarshal(value, &row); err != nil {
		return nil, fmt.Errorf("record %s: %v: %w", BackupRecord, err, kaijutsu.ErrInvalid)
	}
	return &row, nil
}

// backupStatus is what is known of backups.
func (s *Server) backupStatus(context.Context) (catalog.BackupStatus, error) {
	last, err := LastBackup(s.store)
	return catalog.BackupStatus{Last: last, Now: s.backups.underWay()}, err
}

// KernelOf returns the name of the kernel whose data a store holds; "" when it
// has never been served.
func KernelOf(st *store.Store) (string, error) {
	name, err := st.Record(kernelRecord)
	if errors.Is(err, kaijutsu.ErrNotFound) {
		return "", nil
	}
	return string(bytes.TrimSpace(name)), err
}
