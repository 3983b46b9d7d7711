package server

import (
	"context"
	"fmt"
	"maps"
	netmail "net/mail"
	"slices"
	"strings"

	"kaijutsu"
	"kaijutsu/git"
	"kaijutsu/internal/catalog"
	"kaijutsu/internal/mounts"
)

// Git says how files become blocks, and how commits are made of them. The zero
// value is ready.
type Git struct {
	// Committer is whom commits name as their committer, "Name <address>";
	// default Kaijutsu <kaijutsu@kaijutsu.invalid>.
	Committer string
	// SignKey is a file with the private SSH key that signs commits; "": they are
	// not signed.
	SignKey string
	// FileLimit is the most bytes of a file that becomes a block; 0 is the
	// default of internal/mounts.
	FileLimit int64
}

// committer reads whom commits name.
func (g Git) committer() (git.Signature, error) {
	if g.Committer == "" {
		return git.Signature{}, nil
	}
	a, err := netmail.ParseAddress(g.Committer)
	if err != nil || a.Name == "" {
		return git.Signature{}, fmt.Errorf("committer %.200q: %w: want a name and an address, such as \"Build <build@example.org>\"", g.Committer, kaijutsu.ErrInvalid)
	}
	return git.Signature{Name: a.Name, Email: a.Address}, nil
}

// openMounts opens the records of mounts; startMounts opens what they say.
func (s *Server) openMounts() error {
	cfg := mounts.Config{
		Log: s.log, Repo: s.repo, Kernel: s.kernel, Access: s.access, Store: s.store, Records: s.records,
		Dir: s.cfg.Dir, Name: s.cfg.Kernel, Node: s.store.StorageID(), NodeName: s.nodeName, NodeAddress: s.nodeAddress, Emit: s.publish,
		Distillers: s.distillers, Limit: s.cfg.Git.FileLimit, Now: s.cfg.Now,
	}
	var err error
	if cfg.Committer, err = s.cfg.Git.committer(); err != nil {
		return err
	}
	if s.cfg.Git.SignKey != "" {
		if cfg.Signer, err = git.LoadSigner(s.cfg.Git.SignKey); err != nil {
			return err
		}
	}
	if s.mounts, err = mounts.Open(cfg); err != nil {
		return err
	}
	s.later.also(s.mounts.Note)
	return nil
}

// startMounts opens the mounts of this node, in the background.
func (s *Server) startMounts() error {
	s.mounts.Start()
	return nil
}

// nodeName returns what people call a node, its id when nothing.
func (s *Server) nodeName(id string) string {
	if id == s.StorageID() && s.cfg.NodeName != "" {
		return s.cfg.NodeName
	}
	if s.cluster != nil {
		for _, n := range s.cluster.Status().Nodes {
			if n.ID == id && n.Name != "" {
				return n.Name
			}
		}
	}
	return id
}

// nodeAddress returns where a node can be reached, "" when it did not say.
func (s *Server) nodeAddress(id string) string {
	if s.cluster != nil {
		for _, n := range s.cluster.Status().Nodes {
			if n.ID == id {
				return n.Addr
			}
		}
	}
	return ""
}

// mountStatus is how the mounts of this node fare.
func (s *Server) mountStatus(ctx context.Context) (out catalog.MountStatus) {
	for _, m := range s.mounts.List(ctx, ownCall) {
		if !m.Here {
			continue
		}
		out.Mounts++
		out.OpenFiles, out.Dirty, out.Conflicts = out.OpenFiles+m.Open, out.Dirty+m.Dirty, out.Conflicts+m.Conflicts
	}
	return out
}

// mountProblems is what is wrong with them.
func (s *Server) mountProblems() (all []string) {
	failed := s.mounts.Failed()
	for _, path := range slices.Sorted(maps.Keys(failed)) {
		all = append(all, fmt.Sprintf("mount %s is not open (%s): it is tried again and again; kj umount %s takes it away", path, failed[path], path))
	}
	if names := s.mounts.Unread(); len(names) > 0 {
		all = append(all, fmt.Sprintf("%d mounts cannot be read and are not there (%s): another node runs a newer release; run that here too", len(names), strings.Join(names[:min(len(names), 5)], ", ")))
	}
	return all
}
