// What came to a context counts as read when it has been in sight for a moment.

import { useEffect } from "react"
import type { ContextModel } from "../core/model"
import { op } from "../core/ops"
import { contexts } from "./contexts"
import { useUnread } from "./useUnread"

/** How long a context must be in sight until what came to it counts as read, in milliseconds. */
const readMillis = 1000

/** Notes that the letters of the shown context were read. `seen` is false while something covers it. */
export function useReadMark(model: ContextModel | null, seen = true): void {
  const id = model?.id ?? ""
  const unread = useUnread().of(id)
  useEffect(() => {
    if (!id || !seen || unread === 0) return
    const read = () => {
      if (document.hidden) return
      op("drift_inbox", { context: id, read: true, unread: true, limit: 1000 }).then(contexts.refresh, () => {
        // They stay unread until the list of contexts is asked for anew.
      })
    }
    const timer = setTimeout(read, readMillis)
    document.addEventListener("visibilitychange", read)
    return () => {
      clearTimeout(timer)
      document.removeEventListener("visibilitychange", read)
    }
  }, [id, seen, unread])
}
