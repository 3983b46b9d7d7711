package server

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"kaijutsu"
	"kaijutsu/internal/access"
	"kaijutsu/internal/catalog"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
	"kaijutsu/internal/peer"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/search"
	"kaijutsu/internal/store"
)

// open opens the parts in order. What is open when one fails is the caller's to
// close.
func (s *Server) open() error {
	var err error
	s.store, err = store.Open(store.Options{Dir: s.cfg.Dir, Log: s.log, MinFree: s.cfg.MinFree, AcceptLoss: s.cfg.AcceptLoss})
	if err != nil {
		return err
	}
	s.access, err = access.Open(access.Config{Store: s.store, Owners: []kaijutsu.Principal{localPrincipal, ownerPrincipal}, Changed: s.review})
	if err != nil {
		return err
	}
	s.repo = repo.Start(repo.Config{Log: s.log, Store: s.store, BudgetBytes: s.cfg.Budget, Committed: s.committed})
	s.search, err = search.Start(search.Config{Repo: s.repo, Store: s.store, Dir: filepath.Join(s.cfg.Dir, "search"), Log: s.log})
	if err != nil {
		return err
	}
	s.kernel, err = kernel.Open(kernel.Config{
		Log: s.log, Store: s.store, Repo: s.repo, Access: s.access, Locate: s.search.Locate,
		Cache: filepath.Join(s.cfg.Dir, "contexts"),
	})
	if err != nil {
		return err
	}
	s.set = catalog.New(catalog.Parts{
		Kernel: s.kernel, Search: s.search, Access: s.access, Status: s.status,
		Gates: op.Gates{Log: s.log, Deny: s.cfg.DenyOps, Audit: s.audit},
	})
	if err := checkDenied(s.cfg.DenyOps, s.set); err != nil {
		return err
	}
	s.peers = peer.NewHub(peer.Config{
		Log:       s.log,
		Repo:      s.repo,
		PeerID:    "kaijutsu-" + s.store.StorageID(),
		StorageID: s.store.StorageID(),
		Right: func(_ context.Context, by kaijutsu.Principal, doc kaijutsu.DocumentID) kaijutsu.Right {
			return s.kernel.SyncRight(by, doc)
		},
	})
	return nil
}

// committed tells the parts that follow the documents. Nothing is committed
// before all of them are there: only operations and editors do.
func (s *Server) committed(c repo.Committed) {
	s.search.Note(c)
	s.kernel.Note(c)
}

// checkDenied refuses to leave out an operation that there is not: whoever says
// so means another.
func checkDenied(deny []string, set *op.Set) error {
	for _, d := range deny {
		if there := set.Instead(d); there != "" {
			return fmt.Errorf("denied operation %q: %w: there is none; %s", d, kaijutsu.ErrInvalid, there)
		}
	}
	return nil
}

// closeParts closes what open opened, in reverse: appends that wait are
// written, the index and the documents closed, then the store.
func (s *Server) closeParts() error {
	var errs []error
	if s.kernel != nil {
		errs = append(errs, s.kernel.Close())
	}
	if s.search != nil {
		errs = append(errs, s.search.Close())
	}
	if s.repo != nil {
		errs = append(errs, s.repo.Close())
	}
	if s.store != nil {
		errs = append(errs, s.store.Close())
	}
	return errors.Join(errs...)
}

// review has editors that are connected ask anew what they may do with a
// document, or with any: one that may not read it any more is told at once.
func (s *Server) review(doc kaijutsu.DocumentID) {
	if doc.IsZero() {
		s.repo.ReviewAll()
		return
	}
	s.repo.Review(doc)
}
