// Differences of two texts, as rows: lines that stayed, went or came, and in
// lines that were rewritten the words that differ. Whatever the texts are, it
// takes a bounded time.

import { diffArrays, diffWordsWithSpace, parsePatch } from "diff"

/** A stretch of a line; `changed` is what the other side does not have. */
export interface Part {
  text: string
  changed: boolean
}

export interface Line {
  kind: "same" | "del" | "ins"
  /** Its number on either side, from 1; 0 where it is not. */
  before: number
  after: number
  parts: readonly Part[]
}

/** Lines that follow each other; between two hunks lines are left out. */
export interface Hunk {
  lines: Line[]
  /** The texts end without a line break here; said only when that differs. */
  ending?: "del" | "ins"
}

/** Beyond these a stretch counts as rewritten from end to end. */
const maxEdits = 4000
const maxMillis = 150
/** Longer lines are compared as wholes. */
const maxWordsIn = 2000
/** How many rewritten lines are compared word by word. */
const maxPairs = 400
/** Lines that have less than this in common are two different lines. */
const minAlike = 0.3

/** All lines of both texts, in one hunk. */
export function compare(before: string, after: string): Hunk {
  const a = linesOf(before)
  const b = linesOf(after)
  const lines: Line[] = []
  let head = 0
  const short = Math.min(a.length, b.length)
  while (head < short && a[head] === b[head]) head++
  let tail = 0
  while (tail < short - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  for (let i = 0; i < head; i++) lines.push(same(a[i]!, i + 1, i + 1))
  middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail), head, lines)
  for (let i = tail; i > 0; i--) lines.push(same(a[a.length - i]!, a.length - i + 1, b.length - i + 1))
  const hunk: Hunk = { lines: paired(lines) }
  const ends = (s: string) => s === "" || s.endsWith("\n")
  if (ends(before) !== ends(after) && before !== "" && after !== "") hunk.ending = ends(before) ? "ins" : "del"
  return hunk
}

/** The hunks of a unified diff; what is none gives none. Of parts of texts, so many lines stand before them. */
export function parseUnified(patch: string, linesBefore = 0, linesAfter = 0): Hunk[] {
  let parsed
  try {
    parsed = parsePatch(patch)
  } catch {
    return []
  }
  return parsed.flatMap(file =>
    file.hunks.map(h => {
      let before = h.oldStart + linesBefore
      let after = h.newStart + linesAfter
      const hunk: Hunk = { lines: [] }
      for (const raw of h.lines) {
        const text = raw.slice(1)
        if (raw[0] === "-") hunk.lines.push({ kind: "del", before: before++, after: 0, parts: plain(text) })
        else if (raw[0] === "+") hunk.lines.push({ kind: "ins", before: 0, after: after++, parts: plain(text) })
        else if (raw[0] !== "\\") hunk.lines.push(same(text, before++, after++))
      }
      hunk.lines = paired(hunk.lines)
      return hunk
    }),
  )
}

/** Where a text has lines; the last line break ends one and begins none. */
function linesOf(text: string): string[] {
  if (text === "") return []
  const lines = text.split("\n")
  if (lines[lines.length - 1] === "") lines.pop()
  return lines
}

function middle(a: string[], b: string[], at: number, lines: Line[]): void {
  let before = at
  let after = at
  const del = (list: string[]) => list.forEach(text => lines.push({ kind: "del", before: ++before, after: 0, parts: plain(text) }))
  const ins = (list: string[]) => list.forEach(text => lines.push({ kind: "ins", before: 0, after: ++after, parts: plain(text) }))
  const found = a.length && b.length ? diffArrays(a, b, { maxEditLength: maxEdits, timeout: maxMillis }) : undefined
  if (!found) {
    del(a)
    ins(b)
    return
  }
  for (const c of found) {
    if (c.removed) del(c.value)
    else if (c.added) ins(c.value)
    else for (const text of c.value) lines.push(same(text, ++before, ++after))
  }
}

/** Marks the words that differ where lines that went are followed by as many that came, or so. */
function paired(lines: Line[]): Line[] {
  let pairs = 0
  for (let i = 0; i < lines.length; ) {
    let dels = i
    while (lines[dels]?.kind === "del") dels++
    let inss = dels
    while (lines[inss]?.kind === "ins") inss++
    for (let k = 0; k < Math.min(dels - i, inss - dels) && pairs < maxPairs; k++, pairs++) {
      const words = wordsOf(lines[i + k]!, lines[dels + k]!)
      if (!words) continue
      lines[i + k] = { ...lines[i + k]!, parts: words.before }
      lines[dels + k] = { ...lines[dels + k]!, parts: words.after }
    }
    i = inss > i ? inss : i + 1
  }
  return lines
}

/** What differs within a line that was rewritten; null if it is another line altogether. */
function wordsOf(del: Line, ins: Line): { before: Part[]; after: Part[] } | null {
  const a = textOf(del)
  const b = textOf(ins)
  if (a.length > maxWordsIn || b.length > maxWordsIn || a === "" || b === "") return null
  const before: Part[] = []
  const after: Part[] = []
  let alike = 0
  for (const c of diffWordsWithSpace(a, b, { timeout: 20 }) ?? []) {
    if (!c.added) before.push({ text: c.value, changed: c.removed })
    if (!c.removed) after.push({ text: c.value, changed: c.added })
    if (!c.added && !c.removed) alike += c.value.trim().length
  }
  return alike >= minAlike * Math.min(a.trim().length, b.trim().length) && alike > 0 ? { before, after } : null
}

export const textOf = (line: Line) => line.parts.map(p => p.text).join("")
const plain = (text: string): Part[] => [{ text, changed: false }]
const same = (text: string, before: number, after: number): Line => ({ kind: "same", before, after, parts: plain(text) })
