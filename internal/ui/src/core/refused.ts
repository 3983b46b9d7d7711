// What the server refused of a document: why, and what was written in it.

import * as A from "@automerge/automerge/slim"
import { decodeHeads, type DocHandle } from "@automerge/automerge-repo/slim"
import { toMarkdown } from "./markdown"
import { ContextModel } from "./model"
import { acknowledged } from "./saved"
import { isContext, type ContextDoc } from "./schema"

export interface Refusal {
  /** The id of the document. */
  document: string
  why: string
}

/** What a refusal of the server says in words; null when it is not about somebody's right to write in a document. */
export function readRefusal(message: string): Refusal | null {
  const document = /\bdocument ([1-9A-HJ-NP-Za-km-z]{16,64})\b/.exec(message)?.[1]
  if (document === undefined) return null
  if (/\bmay only read\b/.test(message)) return { document, why: "you may only read it" }
  if (/\bmay only comment\b/.test(message)) return { document, why: "you may only comment on it" }
  if (/\bdepends on the refused change\b/.test(message)) return { document, why: "it builds on something that was refused before" }
  return null
}

/** What was written here that the server does not have, as Markdown: the blocks in which something is different. */
export function refusedTexts(handle: DocHandle<unknown>): string {
  if (!handle.isReady() || !isContext(handle.doc())) return ""
  const doc = handle.doc() as A.Doc<ContextDoc>
  const since = decodeHeads(acknowledged.of(handle.documentId)).filter(head => A.hasHeads(doc, [head]))
  const ids = new Set(A.diff(doc, since, A.getHeads(doc)).flatMap(({ path }) => (path[0] === "pages" && path.length > 2 ? [String(path[2])] : [])))
  const model = new ContextModel(handle as DocHandle<ContextDoc>)
  const blocks = model.everything().filter(block => ids.has(block.id))
  model.close()
  return toMarkdown(blocks)
}
