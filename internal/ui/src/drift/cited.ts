// A citation as the server reads it: the exact text as it was, who wrote which
// line, and whether it still stands.

import { linesOf } from "../core/handle"
import { op } from "../core/ops"
import { countOf, isFields, rowsOf, textOf, textsOf } from "./check"

export interface Cited {
  handle: string
  context: string
  /** "" for this kernel. */
  kernel: string
  block: string
  heads: string[]
  /** Lines from 1, both included; 0 for the whole block. */
  first: number
  last: number
  kind: string
  author: string
  text: string
  state: "fresh" | "stale" | "deleted"
  /** When stale: what stands in its place, and the difference. */
  now: string
  diff: string
  nowFirst: number
  nowLast: number
}

export function citedFrom(v: unknown): Cited | null {
  if (!isFields(v)) return null
  const state = textOf(v.state)
  if (state !== "fresh" && state !== "stale" && state !== "deleted") return null
  return {
    handle: textOf(v.handle),
    context: textOf(v.context),
    kernel: textOf(v.kernel),
    block: textOf(v.block_id),
    heads: textsOf(v.heads, 64),
    first: countOf(v.first),
    last: countOf(v.last),
    kind: textOf(v.kind),
    author: textOf(v.author),
    text: textOf(v.text),
    state,
    now: textOf(v.now),
    diff: textOf(v.diff),
    nowFirst: countOf(v.now_first),
    nowLast: countOf(v.now_last),
  }
}

/** The lines of a text; each but the last with its newline. */
export function linesIn(text: string): string[] {
  const lines = text.split("\n").map((line, n, all) => (n < all.length - 1 ? line + "\n" : line))
  if (lines.length > 1 && lines.at(-1) === "") lines.pop()
  return lines
}

/** What became of it, in a sentence. */
export function verdictOf(c: Cited): string {
  if (c.state === "deleted") return "The block was deleted since. This is what it said."
  if (c.state === "stale") return "These lines are not as they were. What changed:"
  return c.first && c.nowFirst && c.nowFirst !== c.first ? `They stand as they were, now as ${linesOf({ first: c.nowFirst, last: c.nowLast })}.` : "They stand as they were."
}

/** Who wrote each of the cited lines last, by line from 1. Empty where the server does not say. */
export async function writersOf(c: Cited, signal: AbortSignal): Promise<Map<number, string>> {
  if (c.kernel) return new Map()
  const answer = await op<unknown>("block_blame", { context: c.context, block_id: c.block, at: c.heads.join(","), by: "lines", text: false }, { signal })
  const by = new Map<number, string>()
  const last = c.last || Infinity
  for (const run of isFields(answer) ? rowsOf(answer.runs, 100_000) : []) {
    const line = countOf(run.line) + 1
    if (line >= (c.first || 1) && line <= last && !by.has(line)) by.set(line, textOf(run.author))
  }
  return by
}

/** "amy", or "amy (2–4, 7), bea (5–6)". */
export function writerWords(by: ReadonlyMap<number, string>): string {
  const lines = new Map<string, number[]>()
  for (const [line, author] of by) lines.set(author, [...(lines.get(author) ?? []), line])
  if (lines.size < 2) return [...lines.keys()].join("")
  return [...lines].map(([author, at]) => `${author} (${ranges(at)})`).join(", ")
}

/** Ascending numbers as "2–4, 7". */
export function ranges(numbers: readonly number[]): string {
  const spans: [number, number][] = []
  for (const n of numbers) {
    const span = spans.at(-1)
    if (span && span[1] === n - 1) span[1] = n
    else spans.push([n, n])
  }
  return spans.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(", ")
}

const aroundLines = 3

/** The lines before and behind the cited ones, as they were then. */
export async function aroundOf(c: Cited, signal: AbortSignal): Promise<{ before: string; behind: string }> {
  const nothing = { before: "", behind: "" }
  if (c.kernel || !c.first) return nothing
  const start = Math.max(0, c.first - 1 - aroundLines)
  const answer = await op<unknown>("block_read", { context: c.context, block_id: c.block, at: c.heads.join(","), line_numbers: false, range: { start, end: c.last + aroundLines } }, { signal })
  if (!isFields(answer)) return nothing
  const lines = linesIn(textOf(answer.content))
  return { before: lines.slice(0, c.first - 1 - start).join(""), behind: lines.slice(c.last - start).join("") }
}
