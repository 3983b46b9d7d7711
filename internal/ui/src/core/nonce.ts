// The nonce of this page: the mark by which the page's policy knows the style
// sheets that the page itself makes (of editors, and of what holds the page
// still below a menu).

import { setNonce } from "get-nonce"

const meta = typeof document === "undefined" ? null : document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')

/** The nonce; "" where there is none. Hand it to EditorView.cspNonce. */
export const nonce: string = meta?.nonce ?? ""

if (nonce) setNonce(nonce)
