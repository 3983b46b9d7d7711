// The list of a context: what shows of its tree, line by line.

import type { Block } from "./schema"
import { Tree } from "./tree"

/** A block's line in the list. */
export interface Row {
  readonly id: string
  readonly depth: number
  /** How many children hang directly below it. */
  readonly children: number
  /** Its children are left out. */
  readonly folded: boolean
}

/**
 * The lines of a tree. Deleted blocks are left out, with what hangs below them,
 * and what hangs below collapsed ones unless `unfold`. A line that is as it was
 * in `known` is the same object.
 */
export function rowsOf(tree: Tree, known: readonly Row[] = [], unfold = false): readonly Row[] {
  const before = new Map<string, Row>()
  for (const row of known) before.set(row.id, row)
  const rows: Row[] = []
  const stack: { block: Block; depth: number }[] = []
  const push = (parent: string, depth: number) => {
    const list = tree.below(parent)
    for (let i = list.length - 1; i >= 0; i--) if (!list[i]!.deleted) stack.push({ block: list[i]!, depth })
  }
  push("", 0)
  for (let at = stack.pop(); at; at = stack.pop()) {
    const { block, depth } = at
    const held = stack.length
    push(block.id, depth + 1)
    const children = stack.length - held
    const folded = !unfold && block.collapsed && children > 0
    if (folded) stack.length = held
    const old = before.get(block.id)
    rows.push(old && old.depth === depth && old.children === children && old.folded === folded ? old : { id: block.id, depth, children, folded })
  }
  return rows.length === known.length && rows.every((row, n) => row === known[n]) ? known : rows
}
