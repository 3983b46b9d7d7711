// The points of a context, fetched page after page, and kept in step with what
// happens meanwhile.

import { useEffect, useRef, useState } from "react"
import { allPoints, fittingGrain, grains, type AuthorTotal, type Grain, type Point } from "./points"

export interface History {
  points: readonly Point[]
  authors: readonly AuthorTotal[]
  changes: number
  grain: Grain
  /** All pages are there. */
  whole: boolean
}

export interface HistoryState {
  history: History | null
  error: Error | null
  loading: boolean
  reload(): void
}

/** A live history is asked for anew this long after something happened. */
const settleMillis = 1500

/** The history of a context. `grain` is one of grains, "" for what fits; `version` counts up when the context changed. */
export function useHistory(context: string, grain: string, author: string, version: unknown): HistoryState {
  const [state, setState] = useState<Omit<HistoryState, "reload">>({ history: null, error: null, loading: true })
  const [asked, setAsked] = useState(0)
  const seen = useRef({ context, version })
  useEffect(() => {
    if (seen.current.version === version) return
    seen.current = { context, version }
    const timer = setTimeout(() => setAsked(n => n + 1), settleMillis)
    return () => clearTimeout(timer)
  }, [context, version])
  useEffect(() => {
    const stop = new AbortController()
    const { signal } = stop
    setState(s => ({ ...s, loading: true }))
    const run = async () => {
      const fit = grains.find(g => g.id === grain) ?? (await fittingGrain(context, signal))
      await allPoints(context, { grain: fit, author }, signal, (points, page, whole) => {
        if (signal.aborted) return
        // While older pages come, what was there before goes on showing.
        setState(s =>
          whole || !s.history
            ? { history: { points, authors: page.authors, changes: page.changes, grain: fit, whole }, error: null, loading: !whole }
            : s,
        )
      })
    }
    run().catch((error: Error) => !signal.aborted && setState(s => ({ ...s, error, loading: false })))
    return () => stop.abort()
  }, [context, grain, author, asked])
  return { ...state, reload: () => setAsked(n => n + 1) }
}
