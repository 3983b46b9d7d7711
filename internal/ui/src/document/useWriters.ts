// Who wrote in a block lately, for its menu.

import { useEffect, useState } from "react"
import { actors, type Author } from "../core/actors"
import { useAuthor } from "../core/hooks"
import type { ContextModel } from "../core/model"
import { op } from "../core/ops"

/** How many changes are looked through, and how many people are named. */
const maxChanges = 200
const maxNamed = 4

type Writer = Pick<Author, "name" | "own">

/** Those who wrote in a block, who wrote last first: its maker alone while it is not asked for, or the server is away. */
export function useWriters(model: ContextModel, id: string, asked: boolean): readonly Writer[] {
  const maker = useAuthor(model, id)
  const [known, setKnown] = useState<{ id: string; writers: readonly Writer[] } | null>(null)
  useEffect(() => {
    if (!asked) return
    const stop = new AbortController()
    op<unknown>("block_history", { context: model.id, block_id: id, limit: maxChanges }, { signal: stop.signal }).then(
      answer => stop.signal.aborted || setKnown({ id, writers: writersIn(answer) }),
      () => undefined, // then its maker is named
    )
    return () => stop.abort()
  }, [model, id, asked])
  return known?.id === id && known.writers.length > 0 ? known.writers : [maker]
}

/** Who is named in what block_history answers. */
export function writersIn(answer: unknown): Writer[] {
  const entries = typeof answer === "object" && answer !== null ? (answer as { entries?: unknown }).entries : null
  const found = new Map<string, Writer>()
  for (const entry of Array.isArray(entries) ? entries : []) {
    const { author, actor } = (entry ?? {}) as { author?: unknown; actor?: unknown }
    if (typeof author !== "string" || author === "") continue
    const own = typeof actor === "string" && actors.principalOf(actor).own
    const name = own ? "you" : author
    if (!found.has(name)) found.set(name, { name, own })
    if (found.size === maxNamed) break
  }
  return [...found.values()]
}
