// Says what a pull or a merge came to, and leads there.

import { placeOf } from "../core/directory"
import { toast } from "../parts"
import { contexts } from "./contexts"
import { itemFrom, outcome } from "./items"

/** Reports whether the answer was one. */
export function told(answer: unknown): boolean {
  contexts.refresh()
  const item = itemFrom(answer)
  if (!item) {
    toast({ text: "The server's answer cannot be read.", kind: "error" })
    return false
  }
  const { text, ok } = outcome(item)
  const place = item.block && !item.to.kernel ? placeOf(item.to.id, item.block) : ""
  toast({ text, kind: ok ? "ok" : "warn", action: place ? { label: "Open", run: () => void (location.hash = place) } : undefined })
  return true
}
