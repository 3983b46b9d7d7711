package catalog

import (
	"context"
	"fmt"
	"time"

	"kaijutsu"
	"kaijutsu/internal/access"
	"kaijutsu/internal/audit"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/follow"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/limit"
	"kaijutsu/internal/link"
	"kaijutsu/internal/mounts"
	"kaijutsu/internal/op"
	"kaijutsu/internal/policy"
	"kaijutsu/internal/provenance"
	"kaijutsu/internal/quarantine"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/search"
)

// Parts are what the operations work on. They may be left out to list the
// operations, but not to run them.
type Parts struct {
	Kernel *kernel.Kernel
	// Search finds lines in many contexts.
	Search *search.Index
	Access *access.Table
	// Events are followed; nil: nobody tells of them.
	Events *follow.Hub
	// Drift carries findings between contexts, Letters know where they came from,
	// Links reach other kernels, and Policy decides what may go; nil: there are
	// none.
	Drift   *courier.Courier
	Letters *provenance.Index
	Links   *link.Links
	Policy  *policy.Keeper
	// Mounts are what is behind the paths of files; nil: nothing is mounted.
	Mounts *mounts.Mounts
	// Name is the kernel's; default "main".
	Name string
	// Status returns what the server holds now.
	Status func(context.Context) Status
	// Connections returns the editors that are worst off, at most so many, and how
	// many are behind; nil: nobody tells of them.
	Connections func(worst int) ([]ConnectionRow, int)
	// Node returns how this node fares, but for seats.
	Node func(context.Context) NodeStatus
	// Backup returns what is known of backups; nil: nobody tells of them.
	Backup func(context.Context) (BackupStatus, error)
	// Quarantine is which changes are not worked on; nil: none. Release takes one
	// out of it.
	Quarantine *quarantine.List
	Release    func(context.Context, kaijutsu.DocumentID, kaijutsu.ChangeHash) error
	// Storage checks and mends what is on the disk; nil: nobody does.
	Storage Storage
	// Limits are the server's; nil: there are none.
	Limits *limit.Limiter
	// Audit is the log of who was refused what; nil: there is none.
	Audit *audit.Log
	// RotateOwner gives the owner's token another secret and returns it; the former
	// one is good for grace. Nil: there is no such token.
	RotateOwner func(grace time.Duration) (string, error)
	// Gates are what every call passes.
	Gates op.Gates
}

// New returns every operation there is.
func New(p Parts) *op.Set {
	if p.Name == "" {
		p.Name = "main"
	}
	o := &operations{parts: p}
	o.set = op.NewSet(p.Gates,
		o.contextCreate(), o.contextList(), o.contextGet(), o.contextRename(), o.contextFork(), o.contextArchive(), o.contextDelete(),
		o.contextLabel(), o.contextModel(), o.contextLineage(),
		o.contextAt(), o.contextDiff(), o.contextHistory(), o.contextExport(), o.contextImport(),
		o.blockCreate(), o.blockAppend(), o.blockEdit(), o.blockSplice(), o.blockReplace(), o.blockApplyPatch(),
		o.blockRead(), o.blockSearch(), o.blockList(),
		o.blockStatus(), o.blockMove(), o.blockSet(), o.blockDelete(), o.blockRestore(), o.blockThaw(),
		o.blockHistory(), o.blockBlame(), o.undo(),
		o.kernelSearch(), o.eventsFollow(),
		o.tokenCreate(), o.tokenList(), o.tokenRotate(), o.tokenRevoke(), o.auditList(), o.quarantineList(), o.quarantineRelease(), o.roleSet(), o.roleList(), o.limitList(), o.limitSet(),
		o.seatJoin(), o.seatLeave(), o.seatList(), o.presenceSet(), o.elicit(), o.elicitAnswer(), o.elicitList(),
		o.driftPush(), o.driftList(), o.driftQueue(), o.driftShow(), o.driftCancel(), o.driftFlush(), o.driftPull(), o.driftMerge(),
		o.driftDeadLetters(), o.driftReplay(), o.driftGraph(), o.driftInbox(), o.driftOffer(), o.driftConsent(),
		o.driftPolicy(), o.driftPolicySet(), o.driftLinkSet(), o.driftLinkList(), o.driftLinkRemove(),
		o.citationCreate(), o.citationResolve(),
		o.mountAdd(), o.mountSet(), o.mountRemove(), o.mountList(),
		o.fsRead(), o.fsWrite(), o.fsList(), o.fsStat(), o.fsRemove(), o.fsRename(), o.fsMkdir(), o.fsSearch(), o.fsResolve(),
		o.gitStatus(), o.gitDiff(), o.gitLog(), o.gitBranch(), o.gitCommit(), o.gitBlame(), o.notesRewrite(),
		o.identitySet(), o.identityList(),
		o.nodeList(), o.nodeStatus(), o.serverStatus(), o.serverBackup(), o.storageScrub(), o.storageMend(), o.whoami(),
	)
	return o.set
}

// operations makes the operations: each method of that name returns one.
type operations struct {
	parts Parts
	set   *op.Set // all of them

	histories repo.Histories
}

var errNoKernel = fmt.Errorf("the operations are only listed here: %w", kaijutsu.ErrUnavailable)

// define is op.Define for operations that work on a kernel.
func define[In, Out any](o *operations, spec op.Spec, f func(context.Context, op.Call, In) (Out, error)) *op.Op {
	return op.Define(spec, func(ctx context.Context, c op.Call, in In) (Out, error) {
		if o.parts.Kernel == nil {
			return *new(Out), errNoKernel
		}
		o.parts.Kernel.Seen(c)
		return f(ctx, c, in)
	})
}

var errNoDrift = fmt.Errorf("nothing is carried between contexts here: %w", kaijutsu.ErrUnavailable)

// defineDrift is define for operations that carry something.
func defineDrift[In, Out any](o *operations, spec op.Spec, f func(context.Context, op.Call, In) (Out, error)) *op.Op {
	return define(o, spec, func(ctx context.Context, c op.Call, in In) (Out, error) {
		if o.parts.Drift == nil {
			return *new(Out), errNoDrift
		}
		return f(ctx, c, in)
	})
}
