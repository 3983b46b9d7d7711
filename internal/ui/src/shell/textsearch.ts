// Searching the texts of all contexts as somebody types.

import { useEffect, useState } from "react"
import { op } from "../core/ops"
import { literally } from "./match"

export interface Hit {
  context: string
  block: string
  /** From 0. */
  line: number
  content: string
}
export interface Found {
  hits: readonly Hit[]
  /** Something is being looked for. */
  busy: boolean
  /** There are more than these. */
  more: boolean
  error: string
}

/** Shorter words are not looked for: too much would be found. */
const minLetters = 2
/** How long nothing must be typed until it is looked for, in milliseconds. */
const pauseMillis = 140
const maxLine = 240

const nothing: Found = { hits: [], busy: false, more: false, error: "" }

/** What is found for a text; the last finds stand while the next are on their way. */
export function useTextSearch(query: string, max: number): Found {
  const [found, setFound] = useState<Found>(nothing)
  const looked = query.trim()
  useEffect(() => {
    if (looked.length < minLetters) return setFound(nothing)
    const stop = new AbortController()
    const timer = setTimeout(async () => {
      setFound(f => ({ ...f, busy: true }))
      try {
        const answer = await op<{ matches?: unknown; truncated?: boolean }>("kernel_search", { query: literally(looked), max_matches: max }, { signal: stop.signal })
        if (!stop.signal.aborted) setFound({ hits: hitsFrom(answer.matches), busy: false, more: answer.truncated === true, error: "" })
      } catch (err) {
        if (!stop.signal.aborted) setFound({ ...nothing, error: err instanceof Error ? err.message : String(err) })
      }
    }, pauseMillis)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [looked, max])
  return looked.length < minLetters ? nothing : found
}

function hitsFrom(v: unknown): Hit[] {
  if (!Array.isArray(v)) return []
  return v.flatMap(m => {
    const { context, block_id: block, line, content } = (m ?? {}) as Record<string, unknown>
    if (typeof context !== "string" || typeof block !== "string" || typeof content !== "string") return []
    return [{ context, block, line: typeof line === "number" ? line : 0, content: content.trim().slice(0, maxLine) }]
  })
}
