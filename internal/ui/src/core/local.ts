// Telling the changes made in this page from those that arrive: a handle says
// of neither which it is.

import type { DocHandle } from "@automerge/automerge-repo/slim"

const depths = new WeakMap<DocHandle<any>, { now: number }>()

/** Has a handle's changes known as made here, whoever makes them. */
export function watchMade(handle: DocHandle<any>): void {
  if (depths.has(handle)) return
  const depth = { now: 0 }
  depths.set(handle, depth)
  const within = <Args extends unknown[], Out>(fn: (...args: Args) => Out) => (...args: Args): Out => {
    depth.now++
    try {
      return fn(...args)
    } finally {
      depth.now--
    }
  }
  handle.change = within(handle.change.bind(handle))
  handle.changeAt = within(handle.changeAt.bind(handle))
}

/** Reports, while a handle tells of a change, whether it is made here. */
export const isMadeHere = (handle: DocHandle<any>) => (depths.get(handle)?.now ?? 0) > 0
