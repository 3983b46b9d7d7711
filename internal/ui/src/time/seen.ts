// Where somebody last was in each context, so that the page can say what
// happened since.

import { useEffect } from "react"
import type { ContextModel } from "../core/model"

const key = "kj.seen"
const maxContexts = 200
const maxHeads = 32

export interface Seen {
  heads: string[]
  at: number
}

const isSeen = (v: unknown): v is Seen =>
  typeof v === "object" && v !== null && typeof (v as Seen).at === "number" && Array.isArray((v as Seen).heads) && (v as Seen).heads.every(h => /^[0-9a-f]{64}$/.test(h))

function read(): Record<string, Seen> {
  try {
    const all: unknown = JSON.parse(localStorage.getItem(key) ?? "{}")
    return typeof all === "object" && all !== null ? Object.fromEntries(Object.entries(all).filter(([, v]) => isSeen(v))) : {}
  } catch {
    return {}
  }
}

/** What was on record when this page first asked: its own visits do not count as "last". */
const before = new Map<string, Seen | null>()

/** The heads at which a context was looked at before this page was opened, and when; null if it never was. */
export function lastSeen(context: string): Seen | null {
  if (!before.has(context)) before.set(context, read()[context] ?? null)
  return before.get(context) ?? null
}

/** Remembers that a context was looked at as it is at these heads. */
export function noteSeen(context: string, heads: readonly string[], at = Date.now()): void {
  lastSeen(context)
  if (heads.length === 0 || heads.length > maxHeads) return
  const all = Object.entries({ ...read(), [context]: { heads: [...heads], at } })
  all.sort(([, a], [, b]) => b.at - a.at)
  try {
    localStorage.setItem(key, JSON.stringify(Object.fromEntries(all.slice(0, maxContexts))))
  } catch {
    // Full: nothing is remembered.
  }
}

/** Remembers how far a context was seen, whenever the page is left or hidden. */
export function useSeen(model: ContextModel | null): void {
  useEffect(() => {
    if (!model) return
    lastSeen(model.id)
    const note = () => noteSeen(model.id, model.heads())
    const hidden = () => document.visibilityState === "hidden" && note()
    document.addEventListener("visibilitychange", hidden)
    return () => {
      document.removeEventListener("visibilitychange", hidden)
      note()
    }
  }, [model])
}
