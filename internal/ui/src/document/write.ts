// Writes to a block's fields that only this view makes.

import * as A from "@automerge/automerge/slim"
import type { ContextModel } from "../core/model"
import type { RawBlock } from "../core/schema"

/** Writes fields of blocks in one change; false if none of the blocks is there. */
export function setFields(model: ContextModel, ids: readonly string[], fields: Partial<Record<"kind" | "status" | "role", string>>): boolean {
  const paths = ids.map(id => model.block(id)?.path).filter(path => path !== undefined)
  if (paths.length === 0) return false
  model.handle.change(doc => {
    for (const [, page, id] of paths) {
      const raw: RawBlock | undefined = doc.pages[page]?.[id]
      if (!raw) continue
      for (const [key, value] of Object.entries(fields)) if (String(raw[key as "kind"] ?? "") !== value) raw[key as "kind"] = new A.ImmutableString(value)
    }
  })
  return true
}
