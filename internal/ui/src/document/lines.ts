// The lines that a context shows: its rows, with the results of a call taken
// into the card of the call.

import { own } from "../core/own"
import type { Block } from "../core/schema"

/** What of the model is needed to make lines. */
export interface Source {
  readonly rows: readonly { id: string; depth: number; children: number; folded: boolean }[]
  block(id: string): Pick<Block, "kind" | "parent" | "deleted"> | undefined
  children(id: string): readonly string[]
}

export interface Line {
  id: string
  depth: number
  /** How many blocks hang below it that have lines of their own. */
  children: number
  folded: boolean
  /** The blocks that are shown in its card. */
  results: readonly string[]
  /** The block on the line above. */
  above: string | null
}

/** Which kind of block holds the outcome of which. */
const outcomeOf: Record<string, string> = { tool_call: "tool_result", shell_command: "shell_output" }
const none: readonly string[] = []

/** Makes the lines; those that are as they were stay the same objects. */
export function linesOf(source: Source, before: ReadonlyMap<string, Line> = new Map()): Line[] {
  const lines: Line[] = []
  const shownIn = new Map<string, number>() // a result, and the depth of its call
  let above: string | null = null
  for (const { id, depth, children, folded } of source.rows) {
    const block = source.block(id)
    if (!block) continue
    const parent = block.parent ? source.block(block.parent) : undefined
    if (parent && own(outcomeOf, parent.kind) === block.kind && !parent.deleted) {
      shownIn.set(id, depth - 1)
      continue
    }
    const results = resultsOf(source, id, block.kind)
    const line = { id, depth: shownIn.has(block.parent) ? depth - 1 : depth, children: children - results.length, folded, results, above }
    const old = before.get(id)
    lines.push(old && same(old, line) ? old : line)
    above = id
  }
  return lines
}

/** The outcomes of a call, in order. */
function resultsOf(source: Source, id: string, kind: string): readonly string[] {
  const wanted = own(outcomeOf, kind)
  if (!wanted) return none
  const results = source.children(id).filter(child => {
    const block = source.block(child)
    return block?.kind === wanted && !block.deleted
  })
  return results.length ? results : none
}

function same(a: Line, b: Line): boolean {
  return a.depth === b.depth && a.children === b.children && a.folded === b.folded && a.above === b.above && a.results.length === b.results.length && a.results.every((id, n) => id === b.results[n])
}
