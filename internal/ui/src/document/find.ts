// Where words stand in a context, in all of its blocks: also in those that are
// not in the page because they are out of sight.

import type { Block } from "../core/schema"

export interface Hit {
  /** The block that they stand in. */
  id: string
  /** The words as they are written there. */
  text: string
}

/** How many places are counted. */
const maxHits = 5000

/** The places of some words, whatever their case, in the order of the blocks: one for each block that has them. */
export function hitsIn(blocks: readonly Pick<Block, "id" | "content">[], query: string): Hit[] {
  const words = query.trim()
  if (words === "") return []
  const pattern = new RegExp(words.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"), "iu")
  const hits: Hit[] = []
  for (const { id, content } of blocks) {
    const text = pattern.exec(content)?.[0]
    if (text !== undefined) hits.push({ id, text })
    if (hits.length === maxHits) break
  }
  return hits
}
