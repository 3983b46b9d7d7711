// Who deleted a block: the document says which actor, the server who that is.

import * as A from "@automerge/automerge/slim"
import { actors } from "../core/actors"
import type { ContextModel } from "../core/model"
import { op } from "../core/ops"
import type { ContextDoc } from "../core/schema"

/** So many of the newest changes are looked at. */
const maxChanges = 64

/** Who deleted a block just now, in words; null when it was this page. */
export async function deleterOf(model: ContextModel, id: string): Promise<string | null> {
  const actor = actorOf(model, id)
  if (actor === A.getActorId(model.handle.doc() as A.Doc<ContextDoc>)) return null
  if (actor === null) return "Somebody"
  if (!actors.knows(actor)) await ask(model.id, id).catch(() => undefined) // the server may be away
  const { name, own } = actors.principalOf(actor)
  return own ? "Another page of yours" : actors.knows(actor) ? name : "Somebody"
}

/** The actor that deleted a block just now. */
function actorOf(model: ContextModel, id: string): string | null {
  const doc = model.handle.doc() as A.Doc<ContextDoc>
  const object = objectOf(doc, model.block(id)?.path)
  const seen = new Set<string>()
  const queue = [...A.getHeads(doc)]
  for (let hash = queue.shift(); hash !== undefined && seen.size < maxChanges; hash = queue.shift()) {
    if (seen.has(hash)) continue
    seen.add(hash)
    const change = A.inspectChange(doc, hash)
    if (!change) continue
    if (object !== null && change.ops.some(o => o.obj === object && o.key === "deleted")) return change.actor
    queue.push(...change.deps)
  }
  return null
}

function objectOf(doc: unknown, path: readonly A.Prop[] = []): string | null {
  let value: unknown = doc
  for (const key of path) value = typeof value === "object" && value !== null && Object.hasOwn(value, key) ? (value as Record<A.Prop, unknown>)[key] : undefined
  return typeof value === "object" && value !== null ? A.getObjectId(value as object) : null
}

/** Learns from the server who changed a block last. */
async function ask(context: string, block_id: string): Promise<void> {
  const { entries } = await op<{ entries?: unknown }>("block_history", { context, block_id, limit: 10 })
  for (const { actor, author } of Array.isArray(entries) ? (entries as { actor?: unknown; author?: unknown }[]) : []) {
    if (typeof actor === "string" && typeof author === "string") actors.note(actor, author)
  }
}
