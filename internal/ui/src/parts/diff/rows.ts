// What a difference shows: its lines, and where nothing changed a fold that
// opens. Side by side a line that was rewritten stands beside what it became.

import type { Hunk, Line } from "./compare"

export type Row =
  | { row: "line"; key: string; line: Line }
  | { row: "pair"; key: string; left: Line | null; right: Line | null }
  | { row: "fold"; key: string; hunk: number; from: number; to: number }
  | { row: "gap"; key: string; before: number; after: number }
  | { row: "ending"; key: string; kind: "del" | "ins" }

/** Unchanged lines that stay around a change; fewer than `least` are not worth a fold. */
const around = 3
const least = 5

/** Which stretches of a hunk are folded: from a line, up to in front of another. */
export function foldsOf(hunk: Hunk): { from: number; to: number }[] {
  const folds: { from: number; to: number }[] = []
  const { lines } = hunk
  for (let i = 0; i < lines.length; ) {
    let end = i
    while (lines[end]?.kind === "same") end++
    const from = i === 0 ? 0 : i + around
    const to = end === lines.length ? end : end - around
    if (to - from >= least) folds.push({ from, to })
    i = end > i ? end : i + 1
  }
  return folds
}

/** The rows of hunks; `open` has the keys of the folds that are open. */
export function rowsOf(hunks: readonly Hunk[], mode: "inline" | "split", open: ReadonlySet<string>): Row[] {
  const rows: Row[] = []
  hunks.forEach((hunk, n) => {
    const first = hunk.lines[0]
    if (n > 0) rows.push({ row: "gap", key: `gap${n}`, before: first?.before ?? 0, after: first?.after ?? 0 })
    let at = 0
    for (const fold of [...foldsOf(hunk), null]) {
      put(rows, hunk.lines.slice(at, fold?.from ?? hunk.lines.length), mode, `${n}.${at}`)
      if (!fold) break
      const key = `${n}.${fold.from}`
      if (open.has(key)) put(rows, hunk.lines.slice(fold.from, fold.to), mode, key)
      else rows.push({ row: "fold", key, hunk: n, ...fold })
      at = fold.to
    }
    if (hunk.ending) rows.push({ row: "ending", key: `end${n}`, kind: hunk.ending })
  })
  return rows
}

function put(rows: Row[], lines: readonly Line[], mode: "inline" | "split", key: string): void {
  if (mode === "inline") {
    lines.forEach((line, i) => rows.push({ row: "line", key: `${key}:${i}`, line }))
    return
  }
  for (let i = 0; i < lines.length; ) {
    const line = lines[i]!
    if (line.kind === "same") {
      rows.push({ row: "pair", key: `${key}:${i}`, left: line, right: line })
      i++
      continue
    }
    let dels = i
    while (lines[dels]?.kind === "del") dels++
    let inss = dels
    while (lines[inss]?.kind === "ins") inss++
    for (let k = 0; k < Math.max(dels - i, inss - dels); k++) {
      const left = i + k < dels ? lines[i + k]! : null
      const right = dels + k < inss ? lines[dels + k]! : null
      rows.push({ row: "pair", key: `${key}:${i}+${k}`, left, right })
    }
    i = inss
  }
}

/** How many lines came and went. */
export function tally(hunks: readonly Hunk[]): { ins: number; del: number } {
  let ins = 0
  let del = 0
  for (const h of hunks) for (const l of h.lines) l.kind === "ins" ? ins++ : l.kind === "del" && del++
  return { ins, del }
}
