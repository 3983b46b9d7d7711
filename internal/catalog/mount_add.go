package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/mounts"
	"kaijutsu/internal/op"
)

// commitPolicy is the parameters that say what commits of a mount tell.
type commitPolicy struct {
	Trailers string `json:"trailers,omitempty" jsonschema:"What commits say at their end. off: nothing. people: Co-authored-by for each other person. all: for agents too, and Kaijutsu-Context and Kaijutsu-Heads, which name the context and its state." rule:"enum=off|people|all"`
	Notes    string `json:"notes,omitempty" jsonschema:"on: each commit gets a git note under refs/notes/ai that says who wrote which line, in the format authorship/3.0.0. off: none." rule:"enum=on|off"`
	Author   string `json:"author,omitempty" jsonschema:"Whom commits name as their author. most: who wrote most characters of the change. caller: who commits. committer: the committer of this server." rule:"enum=most|caller|committer"`
}

type mountAddIn struct {
	Path   string `json:"path" jsonschema:"Where it is to be in the file tree: /mnt/app." rule:"minlen=1,maxlen=1024"`
	Source string `json:"source" jsonschema:"What is behind it. memory: nothing but the server's memory. A folder of this node's disk: ~/src. A git repository: git:~/src/app, git:https://host/app.git or git:user@host:app.git, with @branch behind it for a branch." rule:"minlen=1,maxlen=4096"`
	RW     *bool  `json:"rw,omitempty" jsonschema:"Whether it may be written to. Default: a git repository, whose worktree is the server's own, and memory are; a folder is read only."`
	Branch string `json:"branch,omitempty" jsonschema:"Of a git repository: the branch, made from HEAD when it is not there. Default: the one behind the @ of the source, or kj/ and the branch that is checked out." rule:"maxlen=1024"`
	DiskAs string `json:"disk_as,omitempty" jsonschema:"The name of whose edits those are that programs make on the disk. Default: the service disk." rule:"maxlen=64"`
	commitPolicy
}

func (o *operations) mountAdd() *op.Op {
	return defineMounts(o, op.Spec{
		Name: "mount_add", Title: "Mount", Command: []string{"mount"}, Args: []string{"path", "source"},
		Summary: "Put a folder, a git repository or memory at a path of the file tree",
		Description: "A git repository gets a linked worktree of its own below the server's data directory, as `git worktree add` makes it: the checkout that you work in is never touched. " +
			"One that is given by a URL is cloned there first. A branch that is checked out elsewhere is left alone; the mount is on a branch `kj/…` made from it then, and `notice` says so.\n\n" +
			"Text files of a git mount are blocks of a context from their first read on: who edits the block edits the file, and the other way round. No file is read before somebody asks.\n\n" +
			"Policies that are left out are: trailers all, notes on, author most. Mounting the same again does nothing.",
		Scope: op.OnKernel, Right: kaijutsu.RightOwn, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("mount_add"),
	}, o.addMount)
}

func (o *operations) addMount(ctx context.Context, c op.Call, in mountAddIn) (mountRow, error) {
	as, err := o.principal("disk_as", in.DiskAs, kaijutsu.Principal{})
	if err != nil {
		return mountRow{}, err
	}
	rw := mounts.WritesByDefault(in.Source)
	if in.RW != nil {
		rw = *in.RW
	}
	m, err := o.parts.Mounts.Add(ctx, c, mounts.AddSpec{
		Path: in.Path, Source: in.Source, Branch: in.Branch, ReadWrite: rw, DiskAs: as,
		Trailers: in.Trailers, Notes: in.Notes, Author: in.commitPolicy.Author,
	})
	if err != nil {
		return mountRow{}, err
	}
	return mountRowOf(m), nil
}
