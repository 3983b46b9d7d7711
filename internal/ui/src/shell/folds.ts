// Which contexts have their forks folded away: remembered in this browser.

import { preference } from "../parts"
import { useSyncExternalStore } from "react"

/** How many are remembered; older ones open again. */
const maxFolds = 500

const stored = preference<string[]>("kj.folds", [], (v): v is string[] => Array.isArray(v) && v.every(id => typeof id === "string"))
let asSet: { from: string[]; set: ReadonlySet<string> } = { from: stored.get(), set: new Set(stored.get()) }

function current(): ReadonlySet<string> {
  const from = stored.get()
  if (asSet.from !== from) asSet = { from, set: new Set(from) }
  return asSet.set
}

export const folds = {
  set(id: string, folded: boolean): void {
    const others = stored.get().filter(f => f !== id)
    stored.set(folded ? [...others, id].slice(-maxFolds) : others)
  },
}

export const useFolds = (): ReadonlySet<string> => useSyncExternalStore(stored.subscribe, current, current)
