// Editing texts in a document: always by splices, never by a new string, which
// would lose what others type meanwhile.

import * as A from "@automerge/automerge/slim"
import { diff, inPieces, type Splice } from "./diff"
import type { ContextModel } from "./model"
import type { Block } from "./schema"
import { attempt, Unfit } from "./unfit"

/** The most units that one change of a text touches; the server refuses changes of too many operations. */
export const maxPiece = 50_000

const maxTitle = 500

/** Splices the Text at a path, which holds `text`. */
export function spliceText(model: ContextModel, path: readonly A.Prop[], text: string, splice: Splice): void {
  for (const piece of inPieces(text, splice, maxPiece)) {
    model.handle.change(doc => A.splice(doc, [...path], piece.at, piece.del, piece.ins))
  }
}

/** The block, if its content is a text that can be edited. */
export function textBlock(model: ContextModel, id: string): Block {
  const block = model.block(id)
  if (!block || block.deleted) throw new Unfit("This block is not there any more.")
  if (block.form !== "text") throw new Unfit("This block is a record; it must be turned into text before it is edited.")
  return block
}

/** Makes the text of a block another one, by its difference. */
export function replaceText(model: ContextModel, id: string, text: string): boolean {
  return attempt(false, () => {
    const block = textBlock(model, id)
    const splice = diff(block.content, text)
    if (splice) spliceText(model, [...block.path, "text"], block.content, splice)
    return true
  })
}

/** Makes the title another one; a title has one line. */
export function setTitle(model: ContextModel, title: string): boolean {
  return attempt(false, () => {
    const next = title.replace(/\s+/g, " ").slice(0, maxTitle).toWellFormed()
    const doc = model.handle.doc()
    if (typeof doc.title !== "string") model.handle.change(d => void (d.title = next)) // somebody made it no Text
    else {
      const splice = diff(doc.title, next)
      if (splice) spliceText(model, ["title"], doc.title, splice)
    }
    return true
  })
}
