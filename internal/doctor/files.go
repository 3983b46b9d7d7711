package doctor

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"kaijutsu/internal/backup"
)

// Options say what to look at.
type Options struct {
	// Dir is the data directory.
	Dir string
	// Mend mends what is safe to mend.
	Mend bool
	// Certificates are files with certificates beside those below Dir.
	Certificates []string
	// Progress is told how many documents of how many were read; nil: nobody is.
	Progress func(done, of uint64)
	// Now is the time.
	Now time.Time
}

// files looks at what can be seen without the store.
func (r *Report) files(o Options) {
	r.directory(o)
	r.secrets(o)
	r.space(o)
	r.restore(o)
	r.clock(o)
	r.certificates(o)
	r.worktrees(o)
	r.caches(o)
}

func (r *Report) directory(o Options) {
	const check = "directory"
	info, err := os.Stat(o.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.wrong(check, fmt.Sprintf("there is no %s", o.Dir), "no server has kept anything there", "name the data directory with --data")
	case err != nil:
		r.wrong(check, err.Error(), "the server cannot read it", "run kj doctor as the user of the server")
	case !info.IsDir():
		r.wrong(check, o.Dir+" is a file", "a server keeps its data in a directory", "name the data directory with --data")
	case info.Mode().Perm()&0o077 != 0:
		r.narrow(check, o, o.Dir, info, 0o700)
	default:
		r.sound(check, "%s, for its owner only", o.Dir)
	}
}

// narrow says that others may use a file, or takes that from them.
func (r *Report) narrow(check string, o Options, path string, info fs.FileInfo, mode fs.FileMode) {
	what := fmt.Sprintf("%s has mode %#o: others on this machine may use it", path, info.Mode().Perm())
	const why = "it holds what contexts say, and secrets"
	mend := fmt.Sprintf("chmod %o %s", mode, path)
	if !o.Mend {
		r.wrong(check, what, why, mend)
		return
	}
	if err := os.Chmod(path, mode); err != nil {
		r.wrong(check, what+"; "+err.Error(), why, mend)
		return
	}
	r.mended(check, what, why, mend)
}

// tokenFile holds the owner's token.
const tokenFile = "owner.token"

// secrets are the files that only the server's user may read.
func (r *Report) secrets(o Options) {
	const check = "secrets"
	seen, bad := 0, len(r.Findings)
	token, err := os.ReadFile(filepath.Join(o.Dir, tokenFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.advice(check, "there is no "+tokenFile, "the server makes one when it starts next", "")
		bad++
	case err != nil:
		r.wrong(check, err.Error(), "the server does not start without it", "give the file to the server's user: chown")
	case len(strings.TrimSpace(string(token))) < 32:
		r.wrong(check, tokenFile+" is too short to be a token", "the server does not start with it", "rm "+filepath.Join(o.Dir, tokenFile)+"   # a new one is made at the next start")
	}
	for _, pattern := range []string{tokenFile, "*.key", "server.crt", "acme", "acme/*", "audit", "audit/*", "badger", "hwm"} {
		paths, _ := filepath.Glob(filepath.Join(o.Dir, pattern)) // the patterns are good
		for _, path := range paths {
			info, err := os.Stat(path)
			if err != nil {
				continue
			}
			mode := fs.FileMode(0o600)
			if info.IsDir() {
				mode = 0o700
			}
			seen++
			if info.Mode().Perm()&0o077 != 0 && !strings.HasSuffix(path, ".crt") {
				r.narrow(check, o, path, info, mode)
			}
		}
	}
	if len(r.Findings) == bad {
		r.sound(check, "%d files and directories, none of which others may read", seen)
	}
}

// Below these the disk is said to be nearly full.
const (
	leastFree    = 1 << 30
	reserve      = 64 << 20
	lowPerMille  = 50
	futureByMost = 10 * time.Minute
)

func (r *Report) space(o Options) {
	const check = "disk"
	var st unix.Statfs_t
	if err := unix.Statfs(o.Dir, &st); err != nil || st.Blocks == 0 {
		r.advice(check, "nobody knows how much of the disk is free", "the server cannot warn of a full disk", "")
		return
	}
	free, all := int64(st.Bavail)*int64(st.Bsize), int64(st.Blocks)*int64(st.Bsize)
	what := fmt.Sprintf("%s of %s are free", size(free), size(all))
	mend := "free some space, or move the data directory to a larger disk; kj backup DIR --keep N prunes backups"
	switch {
	case free < reserve:
		r.wrong(check, what, "the server only reads below its reserve: edits are refused, and editors keep them", mend)
	case free < leastFree && free*1000 < all*lowPerMille:
		r.advice(check, what, "the server only reads when there are less than 64 MiB", mend)
	default:
		r.sound(check, "%s", what)
	}
	if _, err := os.Stat(filepath.Join(o.Dir, "ballast")); err != nil && free >= reserve {
		r.advice("ballast", "there is no ballast", "it is given up so that a server on a full disk can end well", "the server makes it when it runs and there is room")
	}
}

func (r *Report) restore(o Options) {
	if err := backup.CheckWhole(o.Dir); err != nil {
		r.wrong("restore", err.Error(), "what is there is not whole: a server does not start with it", "kj restore BACKUP --data "+o.Dir)
	}
	if left, _ := filepath.Glob(filepath.Join(o.Dir, "lost", "*")); len(left) > 0 {
		r.advice("set aside", fmt.Sprintf("%d files in %s", len(left), filepath.Join(o.Dir, "lost")),
			"they are what was set aside because it was damaged or lost; the server does not read them", "delete them when nothing is missed any more")
	}
}

// clock compares the clock with what was written.
func (r *Report) clock(o Options) {
	const check = "clock"
	now := o.Now
	for _, name := range []string{"hwm", "lock", tokenFile, "server.url"} {
		info, err := os.Stat(filepath.Join(o.Dir, name))
		if err == nil && info.ModTime().Sub(now) > futureByMost {
			r.wrong(check, fmt.Sprintf("%s was written at %s, which is to come", name, info.ModTime().Format(time.RFC3339)),
				"times of edits, tokens that expire and certificates go by the clock", "set the clock, and have it kept: timedatectl set-ntp true")
			return
		}
	}
	r.sound(check, "%s, not behind what was written", now.UTC().Format(time.RFC3339))
}

// warnBefore is how long before its end a certificate is worth a word.
const warnBefore = 14 * 24 * time.Hour

func (r *Report) certificates(o Options) {
	paths := append([]string{}, o.Certificates...)
	for _, pattern := range []string{"*.crt", "acme/*"} {
		more, _ := filepath.Glob(filepath.Join(o.Dir, pattern)) // the patterns are good
		paths = append(paths, more...)
	}
	for _, path := range paths {
		cert, err := firstCertificate(path)
		if err != nil {
			r.wrong("certificates", fmt.Sprintf("%s: %v", path, err), "editors do not connect without one", "name another with --tls-cert")
		} else if cert != nil {
			r.certificate(path, cert, o.Now)
		}
	}
}

// firstCertificate returns the certificate in a file, nil when there is none in
// it.
func firstCertificate(path string) (*x509.Certificate, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for {
		var block *pem.Block
		if block, raw = pem.Decode(raw); block == nil {
			return nil, nil
		}
		if block.Type == "CERTIFICATE" {
			return x509.ParseCertificate(block.Bytes)
		}
	}
}

func (r *Report) certificate(where string, cert *x509.Certificate, now time.Time) {
	const check = "certificates"
	name := cert.Subject.CommonName
	if len(cert.DNSNames) > 0 {
		name = strings.Join(cert.DNSNames, ", ")
	}
	ends := fmt.Sprintf("%s: for %s until %s", where, name, cert.NotAfter.UTC().Format(time.DateOnly))
	switch {
	case now.After(cert.NotAfter):
		r.wrong(check, ends+": it has ended", "browsers and editors refuse it", "renew it: the server reads the files again when they change")
	case now.Before(cert.NotBefore):
		r.wrong(check, ends+", and not before "+cert.NotBefore.UTC().Format(time.RFC3339), "browsers and editors refuse it", "set the clock, or wait")
	case cert.NotAfter.Sub(now) < warnBefore:
		r.advice(check, ends, "browsers and editors will refuse it then", "renew it: the server reads the files again when they change")
	default:
		r.sound(check, "%s", ends)
	}
}

// worktrees looks at the files of mounts.
func (r *Report) worktrees(o Options) {
	const check = "worktrees"
	trees, _ := filepath.Glob(filepath.Join(o.Dir, "worktrees", "*"))
	clones, _ := filepath.Glob(filepath.Join(o.Dir, "git", "*.git"))
	bad := len(r.Findings)
	const mend = "remove the mount and mount it again: its contexts stay"
	for _, tree := range trees {
		link, err := os.ReadFile(filepath.Join(tree, ".git"))
		to, ok := strings.CutPrefix(strings.TrimSpace(string(link)), "gitdir: ")
		if err != nil || !ok {
			r.wrong(check, tree+" is no worktree: its .git is gone", "its mount does not open", mend)
		} else if _, err := os.Stat(to); err != nil {
			r.wrong(check, fmt.Sprintf("%s belongs to %s, which is not there", tree, to), "its mount does not open", "bring the repository back, or "+mend)
		}
	}
	for _, clone := range clones {
		if _, err := os.Stat(filepath.Join(clone, "HEAD")); err != nil {
			r.wrong(check, clone+" is no repository: its HEAD is gone", "its mount does not open", mend)
		}
	}
	if len(r.Findings) == bad && len(trees)+len(clones) > 0 {
		r.sound(check, "%d, and %d clones", len(trees), len(clones))
	}
}

// cacheDirs may be deleted while no server runs.
var cacheDirs = []string{"search", "contexts", "nats-scratch"}

func (r *Report) caches(o Options) {
	var sizes []string
	for _, name := range cacheDirs[:2] {
		if n, ok := treeSize(filepath.Join(o.Dir, name)); ok {
			sizes = append(sizes, name+" "+size(n))
		}
	}
	if len(sizes) == 0 {
		sizes = []string{"none"}
	}
	r.sound("caches", "%s; the server compares them with the documents, and makes them anew when they do not fit", strings.Join(sizes, ", "))
}

func treeSize(path string) (n int64, there bool) {
	err := filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if info, err := d.Info(); err == nil && !d.IsDir() {
			n += info.Size()
		}
		return nil
	})
	return n, err == nil
}

// size writes bytes for people.
func size(n int64) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 10<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
