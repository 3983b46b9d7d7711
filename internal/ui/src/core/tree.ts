// The tree of a context's blocks: what hangs below what, and in which order.

import type { Block } from "./schema"

/** How deep the tree goes; a block that would stand deeper shows at the root. */
export const maxDepth = 512

/** Above this many blocks that moved at once the tree is built anew. */
const maxSteps = 64

/** Orders siblings: by order key, ties by id. */
export const bySibling = (a: Block, b: Block) => (a.order < b.order ? -1 : a.order > b.order ? 1 : a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

/** A block that was one and is another: new without `before`, gone without `after`. */
export interface Step {
  before: Block | undefined
  after: Block | undefined
}

/**
 * Parents before children, siblings by order. At the root, "", stand also
 * those whose parent is missing, the one with the lowest id of each circle of
 * parents, and what would be too deep.
 */
export class Tree {
  readonly blocks = new Map<string, Block>()
  #children = new Map<string, Block[]>()
  #cut = new Set<string>() // what stands at the root although its parent is there
  #waiting = new Map<string, number>() // parents that are missing → how many wait for them

  constructor(blocks: Iterable<Block> = []) {
    for (const block of blocks) this.blocks.set(block.id, block)
    this.#build()
  }

  /** What hangs below a block, the deleted too, in order. */
  below(id: string): readonly Block[] {
    return this.#children.get(id) ?? []
  }

  /** What a block hangs below: "" at the root. */
  parentOf(id: string): string {
    const parent = this.blocks.get(id)?.parent ?? ""
    return this.blocks.has(parent) && !this.#cut.has(id) ? parent : ""
  }

  /** Takes in what has changed; reports whether anything but content did. */
  update(steps: readonly Step[]): boolean {
    const moved = steps.filter(({ before, after }) => before?.parent !== after?.parent || before?.order !== after?.order || !before || !after)
    const flagged = steps.some(({ before, after }) => before?.deleted !== after?.deleted || before?.collapsed !== after?.collapsed)
    const few = moved.length <= maxSteps && this.#cut.size === 0
    let anew = false
    for (const step of steps) {
      const { before, after } = step
      if (!anew && few && this.#step(step)) continue
      anew = true
      if (after) this.blocks.set(after.id, after)
      else if (before) this.blocks.delete(before.id)
    }
    if (anew) this.#build()
    return moved.length > 0 || flagged
  }

  /** Moves one block in a tree in which nothing is cut; reports false, having done nothing, if more than it may move. */
  #step({ before, after }: Step): boolean {
    if (!after || (before && before.parent !== after.parent && this.#children.has(after.id))) return false
    if (!before && (this.#waiting.has(after.id) || after.parent === after.id)) return false
    if (before?.parent !== after.parent && (this.#depth(after.parent) >= maxDepth - 1 || after.parent === after.id)) return false
    if (before) this.#take(before)
    this.blocks.set(after.id, after)
    this.#put(after)
    return true
  }

  #take(block: Block): void {
    const siblings = this.#children.get(this.#home(block))!
    siblings.splice(placeIn(siblings, block), 1)
    if (siblings.length === 0) this.#children.delete(this.#home(block))
    this.#wait(block.parent, -1)
  }

  #put(block: Block): void {
    const home = this.#home(block)
    const siblings = this.#children.get(home)
    if (siblings) siblings.splice(placeIn(siblings, block), 0, block)
    else this.#children.set(home, [block])
    this.#wait(block.parent, 1)
  }

  #home(block: Block): string {
    return this.blocks.has(block.parent) ? block.parent : ""
  }

  #wait(parent: string, by: number): void {
    if (this.blocks.has(parent)) return
    const n = (this.#waiting.get(parent) ?? 0) + by
    if (n > 0) this.#waiting.set(parent, n)
    else this.#waiting.delete(parent)
  }

  /** How many blocks are above what hangs below a block, without that block. */
  #depth(id: string): number {
    let depth = 0
    for (let at = this.blocks.get(id); at && depth < maxDepth; at = this.blocks.get(at.parent)) depth++
    return depth
  }

  #build(): void {
    this.#cut = circles(this.blocks)
    this.#arrange()
    if (this.#cutDeep()) this.#arrange()
    this.#waiting.clear()
    for (const { parent } of this.blocks.values()) this.#wait(parent, 1)
  }

  #arrange(): void {
    this.#children = new Map()
    for (const block of this.blocks.values()) {
      const parent = this.parentOf(block.id)
      const siblings = this.#children.get(parent)
      if (siblings) siblings.push(block)
      else this.#children.set(parent, [block])
    }
    for (const siblings of this.#children.values()) siblings.sort(bySibling)
  }

  /** Cuts off what would be too deep; reports whether there was any. */
  #cutDeep(): boolean {
    const before = this.#cut.size
    const stack = this.below("").map(block => ({ id: block.id, depth: 0 }))
    for (let at = stack.pop(); at; at = stack.pop()) {
      for (const { id } of this.below(at.id)) {
        const deep = at.depth + 1 === maxDepth
        if (deep) this.#cut.add(id)
        stack.push({ id, depth: deep ? 0 : at.depth + 1 })
      }
    }
    return this.#cut.size > before
  }
}

/** Where a block stands, or would stand, among siblings in order. */
function placeIn(siblings: readonly Block[], block: Block): number {
  let low = 0
  let high = siblings.length
  while (low < high) {
    const mid = (low + high) >> 1
    if (bySibling(siblings[mid]!, block) < 0) low = mid + 1
    else high = mid
  }
  return low
}

/** The ids of the blocks with the lowest id of each circle of parents. */
function circles(blocks: ReadonlyMap<string, Block>): Set<string> {
  const cut = new Set<string>()
  const walks = new Map<Block, number>() // which walk came by
  let walk = 0
  for (const start of blocks.values()) {
    walk++
    let block: Block | undefined = start
    for (; block && !walks.has(block); block = blocks.get(block.parent)) walks.set(block, walk)
    if (!block || walks.get(block) !== walk) continue
    let lowest = block
    for (let at = blocks.get(block.parent)!; at !== block; at = blocks.get(at.parent)!) if (at.id < lowest.id) lowest = at
    cut.add(lowest.id)
  }
  return cut
}
