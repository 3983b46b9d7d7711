// Where blocks go: order keys between neighbours, and what may stand where.

import * as A from "@automerge/automerge/slim"
import type { ContextModel } from "./model"
import { keyIn } from "./order"
import { maxDepth } from "./tree"
import { Unfit } from "./unfit"

/** A place among the children of `parent`: behind a block, first (null) or last (undefined). */
export interface To {
  parent: string
  after?: string | null | undefined
}

/** The place right behind a block. */
export const behind = (model: ContextModel, id: string): To => ({ parent: model.parentOf(id), after: id })

/** The ids that are no descendants of others among them, in the order in which they show. */
export function topmost(model: ContextModel, ids: readonly string[]): string[] {
  const chosen = new Set(ids)
  const top = [...chosen].filter(id => model.block(id) && !ancestors(model, id).some(a => chosen.has(a)))
  return top.map(id => ({ id, at: model.indexOf(id) })).sort((a, b) => a.at - b.at).map(({ id }) => id)
}

/** What a block hangs below, from its parent up. */
export function ancestors(model: ContextModel, id: string): string[] {
  const above: string[] = []
  for (let at = model.parentOf(id); at !== ""; at = model.parentOf(at)) above.push(at)
  return above
}

/** Refuses to hang blocks where they cannot stand. */
export function checkMove(model: ContextModel, ids: readonly string[], to: To): void {
  const parent = to.parent === "" ? undefined : model.block(to.parent)
  if (to.parent !== "" && (!parent || parent.deleted)) throw new Unfit("The block to put it below is not there any more.")
  const above = to.parent === "" ? [] : [to.parent, ...ancestors(model, to.parent)]
  for (const id of ids) {
    const block = model.block(id)
    if (!block) throw new Unfit("This block is not there any more.")
    if (above.includes(id)) throw new Unfit("A block cannot stand below itself.")
    const home = model.parentOf(id)
    if (block.kind === "tool_result" && home !== to.parent && model.block(home)?.kind === "tool_call") throw new Unfit("A result stays with its call.")
    if (above.length + height(model, id) > maxDepth) throw new Unfit("That would be too deep.")
  }
}

/** How many levels a block and what hangs below it have. */
function height(model: ContextModel, id: string): number {
  let levels = 0
  for (let level = [id]; level.length > 0; level = level.flatMap(at => [...model.children(at)])) levels++
  return levels
}

/** Order keys for `count` blocks at a place, in order; `moving` blocks do not count as neighbours. */
export function keysAt(model: ContextModel, to: To, count: number, results = false, moving: readonly string[] = []): string[] {
  const gone = new Set(moving)
  const all = model.children(to.parent)
  const siblings = all.filter(id => !gone.has(id))
  const at = clear(model, to, siblings, results, placeAmong(all, siblings, to.after))
  const above = at > 0 ? model.block(siblings[at - 1]!) : undefined
  let low = above?.order ?? ""
  // Blocks with one and the same key leave no room: the next one that differs.
  const high = siblings.slice(at).map(id => model.block(id)!.order).find(order => order > low) ?? null
  let afterOwn = above !== undefined && above.actor === A.getActorId(model.handle.doc() as A.Doc<unknown>)
  return Array.from({ length: count }, () => {
    low = keyIn({ low, high, afterOwn })
    afterOwn = true
    return low
  })
}

/** How many of `siblings` stand in front of the place behind `after`, which may be among those that move. */
function placeAmong(all: readonly string[], siblings: readonly string[], after: string | null | undefined): number {
  if (after === null) return 0
  const at = after === undefined ? all.length - 1 : all.indexOf(after)
  if (at < 0) return siblings.length
  const before = new Set(all.slice(0, at + 1))
  return siblings.filter(id => before.has(id)).length
}

/** The results of a call stand right behind it, in front of whatever else hangs there. */
function clear(model: ContextModel, { parent }: To, siblings: readonly string[], results: boolean, at: number): number {
  if (model.block(parent)?.kind !== "tool_call") return at
  const first = siblings.findIndex(id => model.block(id)?.kind !== "tool_result")
  const other = first < 0 ? siblings.length : first
  return results ? Math.min(at, other) : Math.max(at, other)
}
