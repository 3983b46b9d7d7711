// The states of a block, out of the changes that touched it.

import { record, text } from "./points"

export interface BlockState {
  /** Of the context, with the last change of this state; and in front of its first. */
  version: number
  before: number
  time: number
  author: string
  how: readonly string[]
  changes: number
}

/** What one author did within so much time is one state, in milliseconds. */
const sitting = 120_000

/** Folds the entries of block_history, the newest first, to states, the newest first. */
export function foldStates(entries: readonly unknown[]): BlockState[] {
  const out: (BlockState & { first: number })[] = []
  for (const e of entries.map(record)) {
    const version = typeof e.version === "number" ? e.version : 0
    const time = Date.parse(text(e.time)) || 0
    const author = text(e.author)
    const how = Array.isArray(e.how) ? e.how.filter(h => typeof h === "string") : []
    if (version < 1) continue
    const last = out.at(-1)
    if (last && last.author === author && Math.abs(last.first - time) <= sitting) {
      last.changes++
      last.first = time
      last.before = version - 1
      last.how = [...new Set([...how, ...last.how])]
    } else out.push({ version, before: version - 1, time, first: time, author, how, changes: 1 })
  }
  return out
}
