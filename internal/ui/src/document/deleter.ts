// Who deleted a block, from the document alone: the server may be away.

import * as A from "@automerge/automerge/slim"
import { actors } from "../core/actors"
import type { ContextModel } from "../core/model"
import type { ContextDoc } from "../core/schema"

/** So many of the newest changes are looked at. */
const maxChanges = 64

/** Who deleted a block just now; null when it was this page, "Somebody" when it cannot be told. */
export function deleterOf(model: ContextModel, id: string): string | null {
  const doc = model.handle.doc() as A.Doc<ContextDoc>
  const object = objectOf(doc, model.block(id)?.path)
  const seen = new Set<string>()
  const queue = [...A.getHeads(doc)]
  for (let hash = queue.shift(); hash !== undefined && seen.size < maxChanges; hash = queue.shift()) {
    if (seen.has(hash)) continue
    seen.add(hash)
    const change = A.inspectChange(doc, hash)
    if (!change) continue
    if (object !== null && change.ops.some(o => o.obj === object && o.key === "deleted")) return change.actor === A.getActorId(doc) ? null : nameOf(change.actor)
    queue.push(...change.deps)
  }
  return "Somebody"
}

function objectOf(doc: unknown, path: readonly A.Prop[] = []): string | null {
  let value: unknown = doc
  for (const key of path) value = typeof value === "object" && value !== null && Object.hasOwn(value, key) ? (value as Record<A.Prop, unknown>)[key] : undefined
  return typeof value === "object" && value !== null ? A.getObjectId(value as object) : null
}

function nameOf(actor: string): string {
  const { name, own } = actors.principalOf(actor)
  return own ? "Another page of yours" : name
}
