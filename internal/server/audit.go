package server

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"kaijutsu"
	"kaijutsu/internal/audit"
	"kaijutsu/internal/op"
	"kaijutsu/internal/peer"
)

// auditDir is where the audit log lies in the data directory.
const auditDir = "audit"

// openAudit opens the audit log.
func (s *Server) openAudit() (err error) {
	s.audits, err = audit.Open(audit.Config{Log: s.log, Dir: filepath.Join(s.cfg.Dir, auditDir), Keep: s.cfg.AuditKeep, Now: s.cfg.Now})
	return err
}

// auditNote writes something down that is no call of an operation: what the
// server did by itself, or what came past the doors. Text of blocks and secrets
// stay out.
func (s *Server) auditNote(e audit.Entry) { s.audits.Add(e) }

// audit writes down a call when it is over: refused ones, and those that cannot
// be taken back or say who may do what, where somebody reads it; the rest for
// debugging. Parameters and what errors quote of blocks stay out.
func (s *Server) audit(r op.Record) {
	level, message := slog.LevelDebug, "operation done"
	privileged := r.Effect == op.Destroys || r.Effect == op.Writes && r.Right >= kaijutsu.RightOwn || slices.Contains(notable, r.Op)
	if privileged {
		level = slog.LevelInfo
	}
	attrs := []slog.Attr{
		slog.String("op", r.Op), slog.Any("principal", r.Call.By), slog.String("door", r.Call.Door), slog.Duration("dur", r.Took),
	}
	if r.Call.Session != "" {
		attrs = append(attrs, slog.String("session", r.Call.Session))
	}
	e := audit.Entry{
		At: r.At.Add(r.Took), Action: r.Op, Outcome: audit.Done, Principal: r.Call.By.Name, Kind: string(r.Call.By.Kind),
		Token: r.Call.Token, Door: r.Call.Door, From: r.Call.From,
	}
	if r.Problem != nil {
		message, e.Outcome, e.Reason = "operation failed", audit.Failed, r.Problem.Kind
		attrs = append(attrs, slog.String("kind", r.Problem.Kind))
		if field := s.fieldOf(r); field != "" {
			attrs = append(attrs, slog.String("field", field))
		}
		if r.Problem.Ref != "" {
			attrs = append(attrs, slog.String("ref", r.Problem.Ref))
			e.Reason += " (ref " + r.Problem.Ref + ")"
		}
	}
	denied := r.Problem != nil && r.Problem.Kind == "denied"
	if denied {
		level, message, e.Outcome = slog.LevelInfo, "operation refused", audit.Refused
		attrs = append(attrs, slog.Any("err", r.Err)) // it says who lacks what
		e.Reason = r.Problem.Message
	}
	if privileged || denied {
		e.About = aboutOf(r.Params)
		s.auditNote(e)
	}
	s.log.LogAttrs(context.Background(), level, message, attrs...)
}

// fieldOf returns the parameter that is wrong, when the operation has one of that
// name: what callers make up stays out of the log.
func (s *Server) fieldOf(r op.Record) string {
	name, _, _ := strings.Cut(r.Problem.Field, ".")
	name, _, _ = strings.Cut(name, "[")
	if o, err := s.set.Get(r.Call, r.Op); err != nil || o.In.Properties[name] == nil {
		return ""
	}
	return name
}

// notable are operations that are written down although their effect alone
// would not say so.
var notable = []string{"role_set", "token_create", "token_rotate", "token_revoke", "identity_set", "context_import", "git_commit", "mount_add", "mount_set", "mount_remove"}

// told are the parameters that the audit log tells: names, ids and roles, none
// of which holds text or a secret.
var told = []string{
	"context", "principal", "role", "name", "kind", "expires", "limit", "contexts", "only", "deny", "doors", "grace", "token", "label",
	"block_id", "id", "path", "kernel", "document", "change", "branch", "archived", "force", "since",
}

// maxTold bounds what a parameter says in the log, in bytes.
const maxTold = 200

// aboutOf returns what a call was about.
func aboutOf(params json.RawMessage) map[string]string {
	const most = 1 << 20 // larger ones hold text; what they are about is not looked for
	var all map[string]json.RawMessage
	if len(params) > most || json.Unmarshal(params, &all) != nil {
		return nil
	}
	about := make(map[string]string)
	for _, name := range told {
		v, ok := all[name]
		if !ok || string(v) == "null" {
			continue
		}
		text := string(v)
		var plain string
		if json.Unmarshal(v, &plain) == nil {
			text = plain
		}
		if len(text) > maxTold {
			text = text[:maxTold]
		}
		about[name] = text
	}
	return about
}

// auditRefusal writes down what an editor sent that was not taken.
func (s *Server) auditRefusal(r peer.Refusal) {
	e := audit.Entry{
		Action: "change", Outcome: audit.Refused, Principal: r.Principal.Name, Kind: string(r.Principal.Kind), Door: "sync",
		About: map[string]string{"document": r.Document.String(), "peer": r.PeerID}, Reason: op.ProblemOf(r.Err).Kind,
	}
	if kind := op.ProblemOf(r.Err).Kind; kind == "denied" {
		e.Reason = r.Err.Error() // it says who lacks what
	}
	s.auditNote(e)
}
