// Package ui is the web page of the server: its sources, its built files and
// the handler that serves them.
//
// The page is TypeScript and React under src/, built by Vite into dist/ by
//
//	npm ci && npm run build
//
// and committed, so that building the server needs no Node. Tests compare the
// hash of the sources with the one recorded in dist/manifest.json, and weigh
// the scripts.
//
// In the browser the page is an unmodified automerge-repo client: it syncs
// with /sync, keeps documents in IndexedDB and itself in a service worker's
// cache, so it opens and edits without the server. What is not in documents it
// asks the server's operations for, and hears of from /v1/events.
//
// src/core holds what the page knows: the model of a context, which follows
// its document patch by patch, the edits, the saved light, addresses and
// commands. The folders beside it are the views.
//
// Each answer with the page has a nonce of its own, in its policy and in its
// text, by which the style sheets that the page's scripts make are allowed.
//
// An address of the page is #automerge:…, with /BLOCK behind it to bring that
// block into sight, #/cite/HANDLE, which opens a citation, or #/ and the name
// of a view.
//
// The package imports nothing of the module, starts no goroutine and stores
// nothing. It does not decide who may see the page: the server guards it.
package ui
