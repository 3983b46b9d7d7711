package catalog

import (
	"context"

	"kaijutsu/internal/op"
)

func (o *operations) createContext(ctx context.Context, c op.Call, in contextCreateIn) (out contextRow, err error) {
	return out, errNoKernel
}

func (o *operations) listContexts(ctx context.Context, c op.Call, in contextListIn) (out contextListOut, err error) {
	return out, errNoKernel
}

func (o *operations) getContext(ctx context.Context, c op.Call, in contextGetIn) (out contextDetail, err error) {
	return out, errNoKernel
}

func (o *operations) renameContext(ctx context.Context, c op.Call, in contextRenameIn) (out contextRenameOut, err error) {
	return out, errNoKernel
}

func (o *operations) forkContext(ctx context.Context, c op.Call, in contextForkIn) (out contextRow, err error) {
	return out, errNoKernel
}

func (o *operations) archiveContext(ctx context.Context, c op.Call, in contextArchiveIn) (out contextRow, err error) {
	return out, errNoKernel
}

func (o *operations) deleteContext(ctx context.Context, c op.Call, in contextDeleteIn) (out contextDeleteOut, err error) {
	return out, errNoKernel
}

func (o *operations) contextAtMoment(ctx context.Context, c op.Call, in contextAtIn) (out contextAtOut, err error) {
	return out, errNoKernel
}

func (o *operations) diffContext(ctx context.Context, c op.Call, in contextDiffIn) (out contextDiffOut, err error) {
	return out, errNoKernel
}

func (o *operations) exportContext(ctx context.Context, c op.Call, in contextExportIn) (out contextExportOut, err error) {
	return out, errNoKernel
}

func (o *operations) importContext(ctx context.Context, c op.Call, in contextImportIn) (out contextImportOut, err error) {
	return out, errNoKernel
}

func (o *operations) createBlock(ctx context.Context, c op.Call, in blockCreateIn) (out blockCreateOut, err error) {
	return out, errNoKernel
}

func (o *operations) appendBlock(ctx context.Context, c op.Call, in blockAppendIn) (out blockAppendOut, err error) {
	return out, errNoKernel
}

func (o *operations) editBlock(ctx context.Context, c op.Call, in blockEditIn) (out blockEditOut, err error) {
	return out, errNoKernel
}

func (o *operations) spliceBlock(ctx context.Context, c op.Call, in blockSpliceIn) (out writtenBlock, err error) {
	return out, errNoKernel
}

func (o *operations) replaceBlock(ctx context.Context, c op.Call, in blockReplaceIn) (out writtenBlock, err error) {
	return out, errNoKernel
}

func (o *operations) patchBlock(ctx context.Context, c op.Call, in blockApplyPatchIn) (out blockApplyPatchOut, err error) {
	return out, errNoKernel
}

func (o *operations) readBlock(ctx context.Context, c op.Call, in blockReadIn) (out blockReadOut, err error) {
	return out, errNoKernel
}

func (o *operations) searchBlock(ctx context.Context, c op.Call, in blockSearchIn) (out blockSearchOut, err error) {
	return out, errNoKernel
}

func (o *operations) listBlocks(ctx context.Context, c op.Call, in blockListIn) (out blockListOut, err error) {
	return out, errNoKernel
}

func (o *operations) setStatus(ctx context.Context, c op.Call, in blockStatusIn) (out writtenBlock, err error) {
	return out, errNoKernel
}

func (o *operations) moveBlock(ctx context.Context, c op.Call, in blockMoveIn) (out writtenBlock, err error) {
	return out, errNoKernel
}

func (o *operations) setBlock(ctx context.Context, c op.Call, in blockSetIn) (out writtenBlock, err error) {
	return out, errNoKernel
}

func (o *operations) deleteBlock(ctx context.Context, c op.Call, in blockDeleteIn) (out writtenBlock, err error) {
	return out, errNoKernel
}

func (o *operations) restoreBlock(ctx context.Context, c op.Call, in blockRestoreIn) (out writtenBlock, err error) {
	return out, errNoKernel
}

func (o *operations) thawBlock(ctx context.Context, c op.Call, in blockThawIn) (out blockThawOut, err error) {
	return out, errNoKernel
}

func (o *operations) historyOfBlock(ctx context.Context, c op.Call, in blockHistoryIn) (out blockHistoryOut, err error) {
	return out, errNoKernel
}

func (o *operations) blameBlock(ctx context.Context, c op.Call, in blockBlameIn) (out blockBlameOut, err error) {
	return out, errNoKernel
}

func (o *operations) undoWork(ctx context.Context, c op.Call, in undoIn) (out undoOut, err error) {
	return out, errNoKernel
}

func (o *operations) searchKernel(ctx context.Context, c op.Call, in kernelSearchIn) (out kernelSearchOut, err error) {
	return out, errNoKernel
}

func (o *operations) createToken(ctx context.Context, c op.Call, in tokenCreateIn) (out tokenCreateOut, err error) {
	return out, errNoKernel
}

func (o *operations) listTokens(ctx context.Context, c op.Call, in tokenListIn) (out tokenListOut, err error) {
	return out, errNoKernel
}

func (o *operations) revokeToken(ctx context.Context, c op.Call, in tokenRevokeIn) (out tokenRevokeOut, err error) {
	return out, errNoKernel
}

func (o *operations) setRole(ctx context.Context, c op.Call, in roleSetIn) (out roleRow, err error) {
	return out, errNoKernel
}

func (o *operations) listRoles(ctx context.Context, c op.Call, in roleListIn) (out roleListOut, err error) {
	return out, errNoKernel
}

func examplesOf(name string) []op.Example { return nil }
