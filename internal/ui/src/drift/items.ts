// Items of the queue: drifts that wait for a flush, for consent, or that could
// not be delivered, and what a flush did, in words.

import { countOf, isFields, many, rowsOf, textOf, timeOf } from "./check"
import { citationsFrom, type Cited } from "./letters"
import { keyOf, nameOf, placeFrom, type Place } from "./place"

export interface Item {
  drift: string
  number: number
  state: string
  kind: string
  from: Place
  to: Place
  block: string
  by: string
  at: number
  /** In lists how it begins, in one line. */
  content: string
  length: number
  model: string
  distiller: string
  citations: Cited[]
  act: string
  failures: number
  error: string
  reason: string
  already: boolean
}

export function itemFrom(v: unknown): Item | null {
  if (!isFields(v) || textOf(v.drift) === "") return null
  return {
    drift: textOf(v.drift),
    number: countOf(v.number),
    state: textOf(v.state),
    kind: textOf(v.kind),
    from: placeFrom(v.from),
    to: placeFrom(v.to),
    block: textOf(v.block_id),
    by: textOf(v.by),
    at: timeOf(v.at),
    content: textOf(v.content),
    length: countOf(v.length),
    model: textOf(v.model),
    distiller: textOf(v.distiller),
    citations: citationsFrom(v.citations),
    act: textOf(v.act),
    failures: countOf(v.failures),
    error: textOf(v.last_error),
    reason: textOf(v.reason),
    already: v.already === true,
  }
}

/** Reads what drift_queue, drift_dead_letters and drift_replay answer. */
export function itemsFrom(answer: unknown): Item[] {
  return isFields(answer) ? rowsOf(answer.items).flatMap(row => itemFrom(row) ?? []) : []
}

/** Items by the context that they come from, which is what a flush takes. */
export function bySource(items: readonly Item[]): { place: Place; items: Item[] }[] {
  const groups = new Map<string, { place: Place; items: Item[] }>()
  for (const item of items) {
    const group = groups.get(keyOf(item.from))
    if (group) group.items.push(item)
    else groups.set(keyOf(item.from), { place: item.from, items: [item] })
  }
  return [...groups.values()]
}

/** What a flush did. */
export interface Flushed {
  from: Place
  delivered: number
  failed: number
  dead: number
  held: number
  left: number
  background: boolean
  items: { drift: string; number: number; state: string; to: Place; block: string; error: string }[]
}

export function flushedFrom(v: unknown): Flushed | null {
  if (!isFields(v)) return null
  return {
    from: placeFrom(v.from),
    delivered: countOf(v.delivered),
    failed: countOf(v.failed),
    dead: countOf(v.dead),
    held: countOf(v.held),
    left: countOf(v.left),
    background: v.background === true,
    items: rowsOf(v.items, 100).map(i => ({ drift: textOf(i.drift), number: countOf(i.number), state: textOf(i.state), to: placeFrom(i.to), block: textOf(i.block_id), error: textOf(i.last_error) })),
  }
}

/** What a flush did, for people. */
export function flushWords(f: Flushed): string {
  const parts: string[] = []
  if (f.delivered > 0) parts.push(`${many(f.delivered, "drift")} delivered`)
  if (f.held > 0) parts.push(`${many(f.held, "drift waits", "drifts wait")} for consent in another kernel`)
  if (f.failed > 0) parts.push(`${many(f.failed, "drift")} could not be delivered and ${f.failed === 1 ? "stays" : "stay"} in the queue`)
  if (f.dead > 0) parts.push(`${many(f.dead, "drift is a dead letter", "drifts are dead letters")} now`)
  if (f.background || f.left > 0) parts.push(f.left > 0 ? `${f.left} still on the way` : "the rest is on the way")
  return parts.length > 0 ? sentence(parts.join("; ")) : "Nothing was waiting."
}

/** What a push, pull, merge or replay came to, for people. */
export function outcome(item: Item): { text: string; ok: boolean } {
  const to = nameOf(item.to)
  switch (item.state) {
    case "delivered":
      return { ok: true, text: item.already ? `It was delivered to ${to} before.` : `Delivered to ${to}.` }
    case "staged":
      return item.error
        ? { ok: false, text: `Not delivered to ${to}: ${item.error}. It stays in the queue as #${item.number}.` }
        : { ok: true, text: `In the queue as #${item.number}, for ${to}.` }
    case "offered":
      return { ok: true, text: `Offered to ${to}: somebody there has to consent.` }
    case "dead":
      return { ok: false, text: `Not delivered to ${to}: ${item.error || item.reason || "it was refused"}. It is among the dead letters.` }
    case "cancelled":
      return { ok: true, text: "Taken out of the queue." }
  }
  return { ok: true, text: `${to}: ${item.state || "done"}.` }
}

const states: Record<string, string> = {
  staged: "waits for a flush",
  dead: "could not be delivered",
  held: "waits for your consent",
  offered: "waits for consent there",
  delivered: "delivered",
  cancelled: "taken back",
}
export const stateWords = (state: string) => (Object.hasOwn(states, state) ? states[state]! : state)

const sentence = (s: string) => s.charAt(0).toUpperCase() + s.slice(1) + "."
