// The contexts that drifts may come from and go to, with what waits in each:
// one list for the whole page, kept up by events.

import { useSyncExternalStore } from "react"
import type { Directory } from "../core/directory"
import { follow } from "../core/events"
import { op, Refused } from "../core/ops"
import { targetsFrom, type Target } from "./place"

/** Asked anew this often, in milliseconds, for what no event tells. */
const everyMillis = 30_000
/** And this often while something is unread: no event tells that it was read elsewhere. */
const unreadMillis = 5000
/** What comes within this time is asked for once, in milliseconds. */
const gatherMillis = 150
const cacheKey = "kj.places"
const maxCached = 1000

export interface Known extends Directory {
  targets: readonly Target[]
  /** Other kernels that drifts may go to. */
  kernels: readonly string[]
  /** How many letters nobody of this name has read. */
  unread: number
  /** Why the list is not there or old; null where all is well. */
  error: Error | null
  /** The server has answered. */
  fresh: boolean
}

class Contexts {
  #known: Known = knownOf(cached(), [], null, false)
  #listeners = new Set<() => void>()
  #stops: (() => void)[] = []
  #soon: ReturnType<typeof setTimeout> | undefined
  #asking = 0
  #asked = 0

  get = (): Known => this.#known

  subscribe = (fn: () => void): (() => void) => {
    this.#listeners.add(fn)
    if (this.#listeners.size === 1) this.#start()
    return () => {
      this.#listeners.delete(fn)
      if (this.#listeners.size === 0) this.#stop()
    }
  }

  /** Asks anew, in a moment. */
  refresh = (): void => {
    clearTimeout(this.#soon)
    this.#soon = setTimeout(() => void this.#ask(), gatherMillis)
  }

  #start(): void {
    const shown = () => !document.hidden && this.refresh()
    const timer = setInterval(() => (this.#known.unread > 0 || Date.now() - this.#asked >= everyMillis) && shown(), unreadMillis)
    document.addEventListener("visibilitychange", shown)
    this.#stops = [follow("ctx.*.drift.>", this.refresh, { onReset: this.refresh }), () => clearInterval(timer), () => document.removeEventListener("visibilitychange", shown)]
    void this.#ask()
  }

  #stop(): void {
    for (const stop of this.#stops.splice(0)) stop()
    clearTimeout(this.#soon)
  }

  async #ask(): Promise<void> {
    const mine = ++this.#asking
    this.#asked = Date.now()
    try {
      const { targets, kernels } = targetsFrom(await op<unknown>("drift_list", {}))
      if (mine !== this.#asking) return
      this.#tell(knownOf(targets, kernels, null, true))
      keep(targets)
    } catch (err) {
      // The last list stands; who may not ask for one has none.
      if (mine === this.#asking) this.#tell({ ...this.#known, error: err as Error, fresh: err instanceof Refused })
    }
  }

  #tell(known: Known): void {
    this.#known = known
    for (const fn of this.#listeners) fn()
  }
}

function knownOf(targets: readonly Target[], kernels: readonly string[], error: Error | null, fresh: boolean): Known {
  const titles = new Map(targets.map(t => [t.id, t.title || "Untitled"]))
  return { targets, kernels, error, fresh, kernel: "", titleOf: id => titles.get(id), unread: targets.reduce((sum, t) => sum + t.unread, 0) }
}

/** What was known when the page was here last: titles are needed without the server, too. */
function cached(): Target[] {
  try {
    return targetsFrom({ contexts: JSON.parse(localStorage.getItem(cacheKey) ?? "[]") }).targets
  } catch {
    return []
  }
}

function keep(targets: readonly Target[]): void {
  try {
    localStorage.setItem(cacheKey, JSON.stringify(targets.slice(-maxCached)))
  } catch {
    // Full: without the server they are called by their ids.
  }
}

export const contexts = new Contexts()

export const useContexts = (): Known => useSyncExternalStore(contexts.subscribe, contexts.get)

