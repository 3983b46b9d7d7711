// The state at a moment, for React: what was shown stays until what is wanted
// is there, and an answer that nobody waits for any more is dropped.

import { useEffect, useState } from "react"
import type { Past, State } from "./past"

export interface Shown {
  state: State | null
  /** The state that shows is not yet the one that is wanted. */
  late: boolean
  error: Error | null
}

/** While somebody scrubs, what they pass by is not asked for. */
const restMillis = 40

export function usePast(past: Past, moment: string | null, around: readonly string[], connected: boolean): Shown {
  const [shown, setShown] = useState<{ past: Past; state: State | null; error: Error | null; failed: string | null }>({ past, state: null, error: null, failed: null })
  const near = around.join(" ")
  useEffect(() => {
    if (moment === null) return
    const stop = new AbortController()
    const show = (state: State) => !stop.signal.aborted && setShown({ past, state, error: null, failed: null })
    const fail = (error: Error) => !stop.signal.aborted && setShown(s => ({ past, state: s.past === past ? s.state : null, error, failed: moment }))
    const ahead = () => near && void past.ahead(near.split(" "), stop.signal)
    const here = past.peek(moment)
    if (here) {
      show(here)
      ahead()
      return () => stop.abort()
    }
    const timer = setTimeout(() => past.at(moment).then(s => (show(s), ahead()), fail), restMillis)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [past, moment, near, connected])
  const state = shown.past === past ? shown.state : null
  return { state, late: moment !== null && state?.moment !== moment && shown.failed !== moment, error: shown.failed === moment && moment !== null ? shown.error : null }
}
