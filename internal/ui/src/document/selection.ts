// Which blocks are selected. There is one that the keyboard is at, the focus,
// and one from which the selection grows, the anchor.

export interface Selection {
  readonly ids: ReadonlySet<string>
  readonly focus: string | null
  readonly anchor: string | null
}

export const empty: Selection = { ids: new Set(), focus: null, anchor: null }

export const single = (id: string): Selection => ({ ids: new Set([id]), focus: id, anchor: id })

/** From the anchor to a block, all that lies between. */
export function extend(s: Selection, to: string, order: readonly string[]): Selection {
  const end = order.indexOf(to)
  const start = s.anchor === null ? end : order.indexOf(s.anchor)
  if (end < 0 || start < 0) return single(to)
  return { ids: new Set(order.slice(Math.min(start, end), Math.max(start, end) + 1)), focus: to, anchor: order[start]! }
}

/** Takes one block in or out, as a click with Ctrl does. */
export function toggle(s: Selection, id: string): Selection {
  const ids = new Set(s.ids)
  if (!ids.delete(id)) ids.add(id)
  return { ids, focus: id, anchor: id }
}

export function selectAll(order: readonly string[]): Selection {
  if (order.length === 0) return empty
  return { ids: new Set(order), focus: order.at(-1)!, anchor: order[0]! }
}

/** The block `by` places from the focus, held at the ends; without a focus the first or the last. */
export function stepped(s: Selection, by: number, order: readonly string[]): string | null {
  if (order.length === 0) return null
  const at = s.focus === null ? -1 : order.indexOf(s.focus)
  if (at < 0) return by > 0 ? order[0]! : order.at(-1)!
  return order[Math.max(0, Math.min(order.length - 1, at + by))]!
}

/** Of blocks those that do not hang below another one of them: what a move or a deletion is told of. */
export function roots(ids: readonly string[], parentOf: (id: string) => string): string[] {
  const all = new Set(ids)
  return ids.filter(id => {
    const seen = new Set([id])
    for (let up = parentOf(id); up && !seen.has(up); up = parentOf(up)) {
      if (all.has(up)) return false
      seen.add(up)
    }
    return true
  })
}
