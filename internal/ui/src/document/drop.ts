// Where dragged blocks come to lie.

export type Where = "above" | "into" | "below"

/** What of the model a drop needs. */
export interface Tree {
  parentOf(id: string): string
  children(id: string): readonly string[]
  /** Whether what hangs below a block shows right behind it. */
  opened(id: string): boolean
}

/** Which part of a row the pointer is over: its upper or lower third, or between. */
export function whereIn(y: number, top: number, height: number): Where {
  const edge = Math.min(height / 3, 16)
  if (y < top + edge) return "above"
  return y > top + height - edge ? "below" : "into"
}

/** The place that a drop means; null where blocks would come to hang below themselves, or stay where they are. */
export function placeOf(tree: Tree, ids: readonly string[], target: string, where: Where): { parent: string; after: string | null } | null {
  const moved = new Set(ids)
  const inside = where === "into" || (where === "below" && tree.opened(target))
  const parent = inside ? target : tree.parentOf(target)
  const seen = new Set<string>()
  for (let up = parent; up && !seen.has(up); up = tree.parentOf(up)) {
    if (moved.has(up)) return null
    seen.add(up)
  }
  if (!inside && where === "below") return moved.has(target) ? null : { parent, after: target }
  const siblings = tree.children(parent).filter(id => !moved.has(id) || id === target)
  if (where === "into") return { parent, after: siblings.at(-1) ?? null }
  if (where === "below") return { parent, after: null }
  if (moved.has(target)) return null
  return { parent, after: siblings[siblings.indexOf(target) - 1] ?? null }
}

/** How fast a list scrolls while something is dragged near its edge, in pixels a frame. */
export function pull(y: number, top: number, bottom: number): number {
  const zone = Math.min(72, (bottom - top) / 4)
  if (y < top + zone) return -Math.ceil(((top + zone - y) / zone) * 16)
  return y > bottom - zone ? Math.ceil(((y - bottom + zone) / zone) * 16) : 0
}
