// What a person does to blocks, as stock Automerge changes. Each edit is one
// change where its size allows. What cannot be done is told to onUnfit, and
// gives null or false.

import * as A from "@automerge/automerge/slim"
import { inPieces } from "./diff"
import type { ContextModel } from "./model"
import { behind, checkMove, keysAt, topmost, type To } from "./places"
import { newBlockID, pageOf, pathOf, type Block, type ContextDoc, type RawBlock } from "./schema"
import { maxPiece, spliceText, textBlock } from "./text"
import { attempt, Unfit } from "./unfit"

export { replaceText, setTitle } from "./text"
export { onUnfit, Unfit } from "./unfit"

/** Where and what a new block is to be. */
export interface Insert {
  /** The block above; null for the first among its siblings, undefined for the last. */
  after?: string | null
  /** Default: what `after` hangs below. */
  parent?: string
  /** Default: "text". */
  kind?: string
  /** Default: "user". */
  role?: string
  text?: string
}

const scalar = (s: string) => new A.ImmutableString(s)

/** A block in a document that is being changed. */
function raw(doc: ContextDoc, id: string): RawBlock {
  const block: RawBlock | undefined = doc.pages[pageOf(id)]?.[id]
  if (!block) throw new Unfit("This block is not there any more.")
  return block
}

function put(doc: ContextDoc, id: string, parent: string, fields: { kind: string; role: string; order: string; text: string }): void {
  const block: RawBlock = { kind: scalar(fields.kind), role: scalar(fields.role), status: scalar(fields.kind === "task" ? "pending" : "done"), order: scalar(fields.order), text: fields.text }
  if (parent !== "") block.parent = scalar(parent)
  doc.pages[pageOf(id)]![id] = block
}

/** Puts a new text block into the context; returns its id. */
export function insert(model: ContextModel, what: Insert): string | null {
  return attempt(null, () => {
    const { after, kind = "text", role = "user", text = "" } = what
    const parent = what.parent ?? (after ? model.parentOf(after) : "")
    checkMove(model, [], { parent })
    const id = newBlockID()
    const [order] = keysAt(model, { parent, after }, 1)
    const [first, ...rest] = [...inPieces("", { at: 0, del: 0, ins: text.toWellFormed() }, maxPiece)]
    model.handle.change(doc => put(doc, id, parent, { kind, role, order: order!, text: first?.ins ?? "" }))
    for (const piece of rest) model.handle.change(doc => A.splice(doc, [...pathOf(id), "text"], piece.at, 0, piece.ins))
    return id
  })
}

/** Cuts a text in two at a position in UTF-16 units; what is behind it becomes a block of its own, right below. */
export function split(model: ContextModel, id: string, at: number): string | null {
  return attempt(null, () => {
    const { content, kind, role, path } = textBlock(model, id)
    let cut = Math.max(0, Math.min(content.length, Math.floor(at)))
    if (/[\udc00-\udfff]/.test(content[cut] ?? "") && /[\ud800-\udbff]/.test(content[cut - 1] ?? "")) cut-- // no character is cut in two
    const tail = content.slice(cut)
    const place = behind(model, id)
    if (tail.length > maxPiece / 2) {
      const made = insert(model, { ...place, kind, role, text: tail })
      if (made) spliceText(model, [...path, "text"], content, { at: cut, del: tail.length, ins: "" })
      return made
    }
    const made = newBlockID()
    const [order] = keysAt(model, place, 1)
    model.handle.change(doc => {
      A.splice(doc, [...path, "text"], cut, tail.length)
      put(doc, made, place.parent, { kind, role, order: order!, text: tail })
    })
    return made
  })
}

/** Puts the text of a block behind that of the block above it, and what hangs below it there too; returns where the seam is. */
export function merge(model: ContextModel, id: string): { into: string; at: number } | null {
  return attempt(null, () => {
    const block = textBlock(model, id)
    const row = model.rows[model.indexOf(id) - 1]
    if (!row) return null // the first one: there is nothing above
    const into = model.block(row.id)!
    if (into.form !== "text" || into.kind !== block.kind) throw new Unfit("The block above is of another kind; its text cannot go on with this one.")
    const below = model.children(id)
    const keys = keysAt(model, { parent: into.id }, below.length)
    const at = into.content.length
    const long = block.content.length > maxPiece
    if (long) spliceText(model, [...into.path, "text"], into.content, { at, del: 0, ins: block.content })
    model.handle.change(doc => {
      if (!long) A.splice(doc, [...into.path, "text"], at, 0, block.content)
      below.forEach((child, n) => place(raw(doc, child), model.block(child)!, into.id, keys[n]!))
      raw(doc, id).deleted = true
    })
    return { into: into.id, at }
  })
}

/** Writes where a block stands, and nothing that is so already. */
function place(block: RawBlock, known: Block, parent: string, order: string): void {
  block.order = scalar(order)
  if (known.parent !== parent) block.parent = scalar(parent)
}

/** Moves blocks, with what hangs below them, to one place, in the order in which they show. */
export function move(model: ContextModel, ids: readonly string[], to: To): boolean {
  return attempt(false, () => moved(model, ids, to))
}

function moved(model: ContextModel, ids: readonly string[], to: To, unfold = false): boolean {
  const top = topmost(model, ids)
  if (top.length === 0) return false
  checkMove(model, top, to)
  const results = top.filter(id => model.block(id)!.kind === "tool_result")
  const others = top.filter(id => !results.includes(id))
  const keys = new Map<string, string>()
  for (const group of [results, others]) keysAt(model, to, group.length, group === results, top).forEach((key, n) => keys.set(group[n]!, key))
  model.handle.change(doc => {
    for (const [id, key] of keys) place(raw(doc, id), model.block(id)!, to.parent, key)
    if (unfold && model.block(to.parent)?.collapsed) raw(doc, to.parent).collapsed = false
  })
  return true
}

/** The first of the chosen blocks and those beside it, with its siblings: what is indented or moved together. */
function together(model: ContextModel, ids: readonly string[]) {
  const top = topmost(model, ids)
  const parent = top.length > 0 ? model.parentOf(top[0]!) : ""
  const group = top.filter(id => model.parentOf(id) === parent)
  return { group, parent, siblings: model.children(parent) }
}

/** Hangs blocks below the one in front of them; that one unfolds. */
export function indent(model: ContextModel, ids: readonly string[]): boolean {
  return attempt(false, () => {
    const { group, siblings } = together(model, ids)
    const before = siblings[siblings.indexOf(group[0] ?? "") - 1]
    return before !== undefined && moved(model, group, { parent: before }, true)
  })
}

/** Puts blocks behind the one that they hang below. */
export function outdent(model: ContextModel, ids: readonly string[]): boolean {
  return attempt(false, () => {
    const { group, parent } = together(model, ids)
    return parent !== "" && moved(model, group, behind(model, parent))
  })
}

/** Moves blocks up or down by one among their siblings. */
export function moveBy(model: ContextModel, ids: readonly string[], by: 1 | -1): boolean {
  return attempt(false, () => {
    const { group, parent, siblings } = together(model, ids)
    if (group.length === 0) return false
    const at = by < 0 ? siblings.indexOf(group[0]!) - 1 : siblings.indexOf(group.at(-1)!) + 1
    if (at < 0 || at >= siblings.length) return false
    return moved(model, group, { parent, after: by < 0 ? (siblings[at - 1] ?? null) : siblings[at]! })
  })
}

export type Flag = "collapsed" | "excluded" | "deleted"

/** Sets or takes away a flag; deleting is one, and restoring takes it away. */
export function setFlag(model: ContextModel, ids: readonly string[], flag: Flag, on: boolean): boolean {
  return attempt(false, () => {
    const other = [...new Set(ids)].filter(id => model.block(id) && model.block(id)![flag] !== on)
    if (other.length === 0) return false
    model.handle.change(doc => {
      for (const id of other) raw(doc, id)[flag] = on
    })
    return true
  })
}
