// What came to a context counts as read when the newest of it has been in sight
// for a moment: a mark is for a whole context.

import { useEffect } from "react"
import type { ContextModel } from "../core/model"
import { op } from "../core/ops"
import { contexts } from "./contexts"
import { useUnread } from "./useUnread"

/** How often it is looked whether the newest is in sight; the second time in a row it counts, in milliseconds. */
const lookMillis = 600

/** Notes that the letters of the shown context were read. `seen` is false while something covers it. */
export function useReadMark(model: ContextModel | null, seen = true): void {
  const id = model?.id ?? ""
  const unread = useUnread().of(id)
  useEffect(() => {
    if (!id || !seen || unread === 0) return
    const newest = model && newestDrift(model)
    let looks = 0
    const look = () => {
      looks = !document.hidden && (newest === null || inSight(newest)) ? looks + 1 : 0
      if (looks !== 2) return
      op("drift_inbox", { context: id, read: true, unread: true, limit: 1000 }).then(contexts.refresh, () => {
        looks = -10 // later again: they stay unread
      })
    }
    const timer = setInterval(look, lookMillis)
    return () => clearInterval(timer)
  }, [model, id, seen, unread])
}

/** The drift block that was made last; null where there is none. */
function newestDrift(model: ContextModel): string | null {
  let newest: string | null = null
  let at = -Infinity
  for (const { id, kind, madeAt } of model.everything()) {
    if (kind !== "drift" || (madeAt ?? 0) < at) continue
    newest = id
    at = madeAt ?? 0
  }
  return newest
}

/** Whether a block's row is on the screen, in part. */
function inSight(id: string): boolean {
  const at = document.querySelector(`[data-block="${CSS.escape(id)}"]`)?.getBoundingClientRect()
  return !!at && at.height > 0 && at.top < window.innerHeight && at.bottom > 0
}
