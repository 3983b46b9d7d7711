// Letters: the drifts that came, as drift_inbox lists them.

import { countOf, isFields, rowsOf, textOf, timeOf } from "./check"
import { keyOf, nameOf, placeFrom, type Place } from "./place"

/** A citation as operations and meta have it. */
export interface Cited {
  ref: number
  handle: string
  quote: string
}

export interface Letter {
  context: Place
  from: Place
  block: string
  kind: string
  by: string
  /** Milliseconds; 0 where nobody says. */
  at: number
  unread: boolean
  stale: boolean
  /** "", or asked, granted, declined or pending. */
  act: string
  model: string
  content: string
  citations: Cited[]
}

export interface Letters {
  /** The newest first. */
  letters: Letter[]
  unread: number
  older: number
}

const maxCitations = 128

export function citationsFrom(v: unknown): Cited[] {
  return rowsOf(v, maxCitations).flatMap(c => {
    const ref = countOf(c.ref)
    const handle = textOf(c.handle)
    return ref > 0 && handle !== "" ? [{ ref, handle, quote: textOf(c.quote) }] : []
  })
}

/** Reads what drift_inbox answers, whose newest is the last. */
export function lettersFrom(answer: unknown): Letters {
  if (!isFields(answer)) return { letters: [], unread: 0, older: 0 }
  const letters = rowsOf(answer.letters).map((row): Letter => ({
    context: placeFrom(row.context),
    from: placeFrom(row.from),
    block: textOf(row.block_id),
    kind: textOf(row.kind),
    by: textOf(row.by),
    at: timeOf(row.at),
    unread: row.unread === true,
    stale: row.stale === true,
    act: textOf(row.act),
    model: textOf(row.model),
    content: textOf(row.content),
    citations: citationsFrom(row.citations),
  }))
  // By time; of one time, what the server has later is newer.
  const newest = letters.filter(l => l.block !== "").reverse()
  newest.sort((a, b) => b.at - a.at)
  return { letters: newest, unread: countOf(answer.unread), older: countOf(answer.older) }
}

/** What a list of letters is narrowed to; "" and false leave it as it is. */
export interface LetterFilter {
  context: string
  kind: string
  by: string
  text: string
  unread: boolean
  stale: boolean
  acts: boolean
}

export const everyLetter: LetterFilter = { context: "", kind: "", by: "", text: "", unread: false, stale: false, acts: false }

export function filtered(letters: readonly Letter[], f: LetterFilter): Letter[] {
  const words = f.text.toLowerCase().split(/\s+/).filter(Boolean)
  return letters.filter(l => {
    if (f.context && keyOf(l.context) !== f.context && keyOf(l.from) !== f.context) return false
    if ((f.kind && l.kind !== f.kind) || (f.by && l.by !== f.by)) return false
    if ((f.unread && !l.unread) || (f.stale && !l.stale) || (f.acts && l.act === "")) return false
    if (words.length === 0) return true
    const said = `${l.content}\n${nameOf(l.from)}\n${nameOf(l.context)}\n${l.by}`.toLowerCase()
    return words.every(w => said.includes(w))
  })
}

/** Letters by the context they came to: the one with the newest letter first. */
export function byContext(letters: readonly Letter[]): { place: Place; letters: Letter[]; unread: number }[] {
  const groups = new Map<string, { place: Place; letters: Letter[]; unread: number }>()
  for (const l of letters) {
    const key = keyOf(l.context)
    let group = groups.get(key)
    if (!group) groups.set(key, (group = { place: l.context, letters: [], unread: 0 }))
    group.letters.push(l)
    if (l.unread) group.unread++
  }
  return [...groups.values()]
}

/** Words for what became of the wish that the receiver act on it. */
export function actWords(act: string): string {
  switch (act) {
    case "":
      return ""
    case "asked":
      return "asks you to act"
    case "pending":
      return "asks to act: waits for an answer"
    case "granted":
      return "may act"
    case "declined":
      return "was asked to act, and that was declined"
  }
  return `asks to act: ${act}`
}
