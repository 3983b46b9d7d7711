package server

import (
	"os"
	"path/filepath"

	"kaijutsu/internal/audit"
	"kaijutsu/internal/examine"
	"kaijutsu/internal/guard"
	"kaijutsu/internal/quarantine"
	"kaijutsu/internal/repo"
)

// workingFile holds the marks of the documents that are being worked on.
const workingFile = "working"

// isolate gives the repo what keeps a document from harming others: the
// quarantine, marks, and the examiner, which is this binary again.
func (s *Server) isolate(cfg *repo.Config) (err error) {
	if s.quarantine, err = quarantine.Open(s.log, s.store, s.cfg.Now); err != nil {
		return err
	}
	cfg.Quarantine, cfg.Quarantined = s.quarantine, s.quarantined
	cfg.Working = filepath.Join(s.cfg.Dir, workingFile)
	if s.cfg.Examine == nil {
		return nil
	}
	exe, err := os.Executable()
	if err != nil {
		s.log.Warn("documents are not examined: this program cannot be found", "err", err)
		return nil
	}
	cfg.Examiner = &examine.Runner{Log: s.log, Exe: exe, Args: s.cfg.Examine, Limits: examine.Limits{Memory: s.cfg.ExamineMemory}}
	return nil
}

// startExaminations examines in the background what is read-only, and what was
// being worked on when the last process died.
func (s *Server) startExaminations() error {
	s.examining.Go(guard.Func(s.log, "examinations", func() {
		if err := s.repo.ExamineAll(s.stopping); err != nil && s.stopping.Err() == nil {
			s.log.Warn("documents not examined", "err", err)
		}
	}))
	return nil
}

// quarantined writes down that something came into quarantine.
func (s *Server) quarantined(e quarantine.Entry) {
	outcome := audit.Refused
	if e.ReadOnly {
		outcome = audit.Failed
	}
	s.auditNote(audit.Entry{
		Action: "quarantine", Outcome: outcome, Principal: e.By.Name, Kind: string(e.By.Kind), Reason: e.Why,
		About: map[string]string{"document": e.Document.String(), "change": e.Change.String(), "kind": e.Kind},
	})
}
