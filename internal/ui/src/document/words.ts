// Words for people.

import { Refused } from "../core/ops"

export const blocksCount = (n: number): string => (n === 1 ? "1 block" : `${n.toLocaleString()} blocks`)

/** What went wrong, and how to mend it where that is known. */
export function say(err: unknown): string {
  if (err instanceof Refused && err.hint) return `${err.message} (${err.hint})`
  return err instanceof Error ? err.message : String(err)
}

/** A size in words. */
export function size(chars: number): string {
  if (chars < 1000) return `${chars} characters`
  if (chars < 1_000_000) return `${Math.round(chars / 1000).toLocaleString()} KB`
  return `${(chars / 1_000_000).toFixed(1)} MB`
}

/** How long something took. */
export function span(ms: number): string {
  if (!(ms >= 0)) return ""
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
}
