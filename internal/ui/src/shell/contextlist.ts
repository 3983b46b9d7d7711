// The list of contexts: one for the page, kept up by events, remembered for
// when there is no server.

import { useSyncExternalStore } from "react"
import { follow } from "../core/events"
import { op, Refused } from "../core/ops"
import { rowsFrom, type ContextRow } from "./rows"

export interface ContextList {
  /** All of them, archived ones too, as the server lists them. */
  rows: readonly ContextRow[]
  /** The server has answered; before that the list is what this browser remembers. */
  fresh: boolean
  /** Why the server does not list them. */
  refused: string
}

const cacheKey = "kj.contexts"
const maxCached = 2000
/** What changes within this time is asked for once, in milliseconds. */
const gatherMillis = 250
/** Asked anew this often, in milliseconds: the number of blocks is told by no event. */
const everyMillis = 30_000
const pageSize = 5000
const maxRows = 50_000
const telling = new Set(["context.created", "context.renamed", "context.forked", "context.archived", "context.restored", "context.deleted"])

let list: ContextList = { rows: remembered(), fresh: false, refused: "" }
const listeners = new Set<() => void>()
let soon: ReturnType<typeof setTimeout> | undefined
let asking = 0
let stop: (() => void) | null = null

export const contextList = {
  get: (): ContextList => list,

  subscribe(fn: () => void): () => void {
    listeners.add(fn)
    stop ??= start()
    return () => {
      listeners.delete(fn)
      if (listeners.size > 0) return
      stop?.()
      stop = null
    }
  },

  /** Asks anew, in a moment. */
  refresh(): void {
    clearTimeout(soon)
    soon = setTimeout(() => void fetchAll(), gatherMillis)
  },

  /** Asks anew; resolves when the answer is there. */
  reload: (): Promise<void> => fetchAll(),

  /** Shows at once what the server will say of a context in a moment. */
  retitle(url: string, title: string): void {
    if (!list.rows.some(r => r.url === url && r.title !== title)) return
    tell({ ...list, rows: list.rows.map(r => (r.url === url ? { ...r, title } : r)) })
  },
}

export const useContextList = (): ContextList => useSyncExternalStore(contextList.subscribe, contextList.get, contextList.get)

function start(): () => void {
  const shown = () => !document.hidden && contextList.refresh()
  const unfollow = follow("ctx.*.context.>", e => telling.has(e.type) && contextList.refresh(), { onReset: contextList.refresh })
  const timer = setInterval(shown, everyMillis)
  document.addEventListener("visibilitychange", shown)
  void fetchAll()
  return () => {
    unfollow()
    clearInterval(timer)
    clearTimeout(soon)
    document.removeEventListener("visibilitychange", shown)
  }
}

async function fetchAll(): Promise<void> {
  const mine = ++asking
  try {
    const rows: ContextRow[] = []
    let cursor: string | undefined
    do {
      const page: { contexts?: unknown; next?: unknown } = await op("context_list", { archived: true, limit: pageSize, ...(cursor ? { cursor } : {}) })
      rows.push(...rowsFrom(page.contexts))
      cursor = typeof page.next === "string" && page.next !== "" ? page.next : undefined
    } while (cursor && rows.length < maxRows)
    if (mine !== asking) return
    tell({ rows, fresh: true, refused: "" })
    remember(rows)
  } catch (err) {
    if (mine === asking) tell({ ...list, refused: err instanceof Refused ? err.message : "" }) // else offline: the last list stands
  }
}

function tell(next: ContextList): void {
  list = next
  for (const fn of listeners) fn()
}

function remembered(): ContextRow[] {
  try {
    return rowsFrom(JSON.parse(localStorage.getItem(cacheKey) ?? "[]"))
  } catch {
    return []
  }
}

function remember(rows: readonly ContextRow[]): void {
  try {
    localStorage.setItem(cacheKey, JSON.stringify(rows.slice(-maxCached)))
  } catch {
    // Full: offline, the list is as it was when there was room.
  }
}
