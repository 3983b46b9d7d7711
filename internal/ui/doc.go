// Package ui is the web page of the server: its sources, its built files and
// the handler that serves them.
//
// The page is TypeScript under src/, built into dist/ by
//
//	npm ci && npm run build
//
// and committed, so that building the server needs no Node. A test compares
// the hash of the sources with the one recorded in dist/manifest.json and
// fails when the page was changed and not built.
//
// In the browser the page is an unmodified automerge-repo client: it syncs
// with /sync, keeps documents in IndexedDB and itself in a service worker's
// cache, so it opens and edits without the server. Of the server's operations
// it uses the list of contexts, the making of one, the names of authors, the
// reading of citations and of who wrote the cited lines, and the inbox; from
// /v1/events it learns that drifts have come. What a drift block says of itself
// is in the document and shows without the server.
//
// An address of the page is #automerge:…, with /BLOCK behind it to bring that
// block into sight, or #/cite/HANDLE, which opens a citation.
//
// The package imports nothing of the module, starts no goroutine and stores
// nothing. It does not decide who may see the page: the server guards it.
package ui
