// Who wrote each line of a file: asked for when somebody looks, shown in the
// gutter of the file's editor.

import { op } from "../core/ops"
import { blameFrom, type Line } from "./answers"

/** The switch of each file's blame, by the file's path, for as long as the page lives. */
const on = new Set<string>()
const listeners = new Set<() => void>()

export const blameSwitch = {
  has: (path: string) => on.has(path),
  set(path: string, yes: boolean) {
    if (yes) on.add(path)
    else on.delete(path)
    for (const fn of listeners) fn()
  },
  subscribe(fn: () => void) {
    listeners.add(fn)
    return () => void listeners.delete(fn)
  },
}

/** Asks who wrote the lines of a file. */
export async function askBlame(path: string, signal: AbortSignal): Promise<Line[]> {
  return blameFrom(await op<unknown>("git_blame", { path }, { signal }))
}

