package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	gogit "github.com/go-git/go-git/v5"
	gogitconfig "github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/transport"
	gogitssh "github.com/go-git/go-git/v5/plumbing/transport/ssh"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"kaijutsu"
)

// Clone makes the bare repository dir of the one at url: an https, http, ssh,
// git or file URL, user@host:path, or a directory. Its remote origin keeps the
// other's branches below refs/remotes/origin, so that an ordinary git fetch
// works in it; the branch of the other's HEAD becomes its own. What the other
// side says of its progress goes to progress, if that is not nil.
//
// For ssh the agent is asked, or else unencrypted keys in ~/.ssh are used; the
// host must be in known_hosts. For https a user and token can stand in the URL.
// Credential helpers are not run. Errors wrap kaijutsu.ErrConflict if dir is
// not empty, kaijutsu.ErrDenied if the other side wants to know who asks, and
// kaijutsu.ErrUnavailable if it cannot be reached.
func Clone(ctx context.Context, rawURL, dir string, progress io.Writer) (*Repo, error) {
	err := cloneInto(ctx, rawURL, dir, progress)
	if err != nil {
		return nil, withoutSecret(rawURL, fmt.Errorf("cloning %s: %w", redact(rawURL), err))
	}
	return Open(dir)
}

func cloneInto(ctx context.Context, rawURL, dir string, progress io.Writer) error {
	if empty, err := emptyDir(dir); err != nil || !empty {
		if err == nil {
			err = fmt.Errorf("directory %s is not empty: %w", dir, kaijutsu.ErrConflict)
		}
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return err
	}
	// A clone that is cut off leaves nothing under its name.
	tmp, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".clone-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	if err := initBare(tmp); err != nil {
		return err
	}
	c := cloned{url: rawURL, dir: tmp, progress: progress}
	if local, ok := localSource(rawURL); ok {
		err = c.local(ctx, local)
	} else {
		err = c.remote(ctx)
	}
	if err == nil {
		err = c.finish()
	}
	if err != nil {
		return err
	}
	os.Remove(dir) // it is empty, if it is there
	return os.Rename(tmp, dir)
}

// localSource returns the directory that a URL or path names.
func localSource(s string) (string, bool) {
	if rest, ok := strings.CutPrefix(s, "file://"); ok {
		if u, err := url.Parse(s); err == nil && u.Path != "" {
			return u.Path, true
		}
		return rest, true
	}
	if filepath.IsAbs(s) || strings.HasPrefix(s, "~/") {
		return expandHome(s), true
	}
	return "", false
}

// initBare makes an empty bare repository in an empty directory.
func initBare(dir string) error {
	for _, d := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags", "info"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o777); err != nil {
			return err
		}
	}
	files := map[string]string{
		"HEAD":         "ref: " + headsPrefix + "main\n",
		"config":       "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n",
		"info/exclude": "# git ls-files --others --exclude-from=.git/info/exclude\n",
		"description":  "Unnamed repository; edit this file 'description' to name the repository.\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// cloned is a repository that is being cloned.
type cloned struct {
	url, dir string
	progress io.Writer
	head     string // the branch of the other's HEAD, in full; "" detached
	at       Hash   // its commit; "" in an empty repository
}

// remote fetches over the network.
func (c *cloned) remote(ctx context.Context) error {
	auth, err := c.auth()
	if err != nil {
		return err
	}
	storage := filesystem.NewStorage(osfs.New(c.dir), cache.NewObjectLRUDefault())
	remote := gogit.NewRemote(storage, &gogitconfig.RemoteConfig{
		Name: "origin", URLs: []string{c.url},
		Fetch: []gogitconfig.RefSpec{"+refs/heads/*:refs/remotes/origin/*"},
	})
	refs, err := remote.ListContext(ctx, &gogit.ListOptions{Auth: auth})
	if errors.Is(err, transport.ErrEmptyRemoteRepository) {
		c.head = headsPrefix + "main"
		return nil
	}
	if err != nil {
		return transportError(ctx, err)
	}
	for _, ref := range refs {
		if ref.Name() == plumbing.HEAD && ref.Type() == plumbing.SymbolicReference {
			c.head = string(ref.Target())
		}
	}
	for _, ref := range refs {
		if name := string(ref.Name()); ref.Type() == plumbing.HashReference && (name == c.head || name == "HEAD" && c.at == "") {
			c.at = Hash(ref.Hash().String())
		}
	}
	err = remote.FetchContext(ctx, &gogit.FetchOptions{
		RemoteName: "origin", Auth: auth, Progress: c.progress, Tags: gogit.AllTags,
	})
	if err != nil && !errors.Is(err, gogit.NoErrAlreadyUpToDate) {
		return transportError(ctx, err)
	}
	return nil
}

// auth returns how to say who we are; nil is go-git's own way: the ssh agent,
// or what stands in the URL.
func (c *cloned) auth() (transport.AuthMethod, error) {
	ep, err := transport.NewEndpoint(c.url)
	if err != nil {
		return nil, fmt.Errorf("this is no URL of a repository: %w: %w", err, kaijutsu.ErrInvalid)
	}
	if ep.Protocol != "ssh" || os.Getenv("SSH_AUTH_SOCK") != "" {
		return nil, nil
	}
	user := ep.User
	if user == "" {
		user = "git"
	}
	for _, name := range []string{"id_ed25519", "id_ecdsa", "id_rsa"} {
		if keys, err := gogitssh.NewPublicKeysFromFile(user, expandHome("~/.ssh/"+name), ""); err == nil {
			return keys, nil
		}
	}
	return nil, fmt.Errorf("there is no ssh agent and no unencrypted key in ~/.ssh; start one with ssh-agent: %w", kaijutsu.ErrDenied)
}

func transportError(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, transport.ErrRepositoryNotFound):
		return fmt.Errorf("%w: %w", err, kaijutsu.ErrNotFound)
	case errors.Is(err, transport.ErrAuthenticationRequired), errors.Is(err, transport.ErrAuthorizationFailed), errors.Is(err, transport.ErrInvalidAuthMethod):
		return fmt.Errorf("%w: %w", err, kaijutsu.ErrDenied)
	}
	return fmt.Errorf("%w: %w", err, kaijutsu.ErrUnavailable)
}

// local copies a repository on the same machine: objects are linked where the
// file system can, as git clone --local does.
func (c *cloned) local(ctx context.Context, dir string) error {
	src, err := Open(dir)
	if err != nil {
		return err
	}
	var total, done int
	err = filepath.WalkDir(src.objects.dirs[0], func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			total++
		}
		return err
	})
	if err != nil {
		return err
	}
	err = filepath.WalkDir(src.objects.dirs[0], func(name string, d fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if done++; c.progress != nil && done%1000 == 0 {
			fmt.Fprintf(c.progress, "Linking objects: %d of %d\r", done, total)
		}
		return linkObject(src.objects.dirs[0], filepath.Join(c.dir, "objects"), name, d)
	})
	if err != nil {
		return err
	}
	if others := src.objects.dirs[1:]; len(others) > 0 {
		text := strings.Join(others, "\n") + "\n"
		if err := os.WriteFile(filepath.Join(c.dir, "objects", "info", "alternates"), []byte(text), 0o666); err != nil {
			return err
		}
	}
	if data, err := readSmall(filepath.Join(src.common, "shallow")); err == nil && data != nil {
		if err := os.WriteFile(filepath.Join(c.dir, "shallow"), data, 0o666); err != nil {
			return err
		}
	}
	return c.localRefs(src)
}

// linkObject links or copies one file of the objects. A symbolic link is
// refused: it could lead anywhere.
func linkObject(from, to, name string, d fs.DirEntry) error {
	rel, err := filepath.Rel(from, name)
	if err != nil {
		return err
	}
	target := filepath.Join(to, rel)
	switch {
	case d.IsDir():
		return os.MkdirAll(target, 0o777)
	case !d.Type().IsRegular():
		return fmt.Errorf("%s is not a regular file: %w", name, kaijutsu.ErrInvalid)
	case strings.HasPrefix(d.Name(), "tmp_") || strings.HasSuffix(d.Name(), ".lock") || rel == filepath.Join("info", "alternates"):
		return nil
	}
	if os.Link(name, target) == nil {
		return nil
	}
	in, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // git gc took it away: it is in a pack
	}
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o444)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

func (c *cloned) localRefs(src *Repo) error {
	full, at, err := src.resolveRef(src.common, "HEAD")
	if err != nil {
		return err
	}
	if c.at = at; full != "HEAD" {
		c.head = full
	}
	heads, err := src.listRefs(headsPrefix)
	if err != nil {
		return err
	}
	tags, err := src.listRefs("refs/tags/")
	if err != nil {
		return err
	}
	var packed strings.Builder
	packed.WriteString("# pack-refs with: sorted\n")
	for _, ref := range heads {
		fmt.Fprintf(&packed, "%s refs/remotes/origin/%s\n", ref.Hash, strings.TrimPrefix(ref.Name, headsPrefix))
	}
	for _, ref := range tags {
		fmt.Fprintf(&packed, "%s %s\n", ref.Hash, ref.Name)
	}
	return os.WriteFile(filepath.Join(c.dir, "packed-refs"), []byte(packed.String()), 0o666)
}

// finish writes the remote into the config, and HEAD with its branch.
func (c *cloned) finish() error {
	branch, onBranch := strings.CutPrefix(c.head, headsPrefix)
	if onBranch && CheckBranchName(branch) != nil {
		return fmt.Errorf("the HEAD of the other side is %.80q, which is no branch: %w", c.head, kaijutsu.ErrInvalid)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "[remote \"origin\"]\n\turl = %s\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n", quoteConfig(c.url))
	files := map[string]string{}
	switch {
	case onBranch:
		fmt.Fprintf(&text, "[branch %s]\n\tremote = origin\n\tmerge = %s\n", quoteConfig(branch), c.head)
		files["HEAD"] = "ref: " + c.head + "\n"
		if c.at != "" {
			files[c.head] = string(c.at) + "\n"
			files["refs/remotes/origin/HEAD"] = "ref: refs/remotes/origin/" + branch + "\n"
		}
	case c.at != "":
		files["HEAD"] = string(c.at) + "\n"
	}
	for name, text := range files {
		path := filepath.Join(c.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			return err
		}
	}
	path := filepath.Join(c.dir, "config")
	if c.url != redact(c.url) { // a password: for nobody else
		if err := os.Chmod(path, 0o600); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text.String())
	return errors.Join(err, f.Close())
}

// quoteConfig writes a value of a config file, or a subsection's name.
func quoteConfig(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
