// What has become of what a number cites, in words.

import type { Mark } from "../core/meta"

const reasons = new Map([
  ["changed", (ref: string) => `the lines that ${ref} cites are not as they were`],
  ["deleted", (ref: string) => `the block that ${ref} cites was deleted`],
  ["context deleted", (ref: string) => `the context that ${ref} cites was deleted`],
])

export const reasonOf = ({ ref, reason }: Mark): string => reasons.get(reason)?.(`[${ref}]`) ?? `[${ref}]: ${reason}`

/** All marks in one line. */
export function staleWords(stale: readonly Mark[], citations: number): string {
  if (stale.length === 0) return ""
  if (stale.length === 1) return `Stale: ${reasonOf(stale[0]!)}`
  return `Stale: ${stale.length} of ${Math.max(stale.length, citations)} citations no longer stand`
}
