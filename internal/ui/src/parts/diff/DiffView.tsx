// A difference of two texts, by lines, with the words that differ marked. What
// went and came is told by sign and by <del> and <ins>, never by colour alone.

import { useMemo, useState, type ReactNode } from "react"
import { compare, parseUnified, type Hunk, type Line } from "./compare"
import styles from "./DiffView.module.css"
import { rowsOf, tally, type Row } from "./rows"

export type DiffMode = "inline" | "split"

export type DiffViewProps = { mode?: DiffMode; label?: string } & ({ unified: string; first?: { before: number; after: number } } | { before: string; after: string })

/** How many rows show at first, and how many more each time. */
const portion = 600
/** What shows of a line. */
const maxLine = 4000

const none: ReadonlySet<string> = new Set()

export function DiffView(props: DiffViewProps) {
  const { mode = "inline", label = "Differences" } = props
  const unified = "unified" in props ? props.unified : null
  const from = "unified" in props ? props.first?.before || 1 : 1
  const to = "unified" in props ? props.first?.after || 1 : 1
  const before = "unified" in props ? "" : props.before
  const after = "unified" in props ? "" : props.after
  const hunks = useMemo<Hunk[]>(() => (unified === null ? [compare(before, after)] : parseUnified(unified, from - 1, to - 1)), [unified, from, to, before, after])
  const [seen, setSeen] = useState({ hunks, open: none, shown: portion })
  const { open, shown } = seen.hunks === hunks ? seen : { open: none, shown: portion }
  const rows = useMemo(() => rowsOf(hunks, mode, open), [hunks, mode, open])
  const { ins, del } = useMemo(() => tally(hunks), [hunks])
  if (ins + del === 0 && !hunks.some(h => h.ending)) return <p className={styles.equal}>No difference in the text.</p>
  return (
    <div className={styles.diff} data-mode={mode} role="group" aria-label={`${label}: ${count(ins, "line")} added, ${count(del, "line")} removed`}>
      {rows.slice(0, shown).map(row => (
        <RowView key={row.key} row={row} unfold={key => setSeen({ hunks, open: new Set([...open, key]), shown })} />
      ))}
      {rows.length > shown && (
        <button type="button" className={styles.fold} onClick={() => setSeen({ hunks, open, shown: shown + portion })}>
          Show more: {count(rows.length - shown, "row")} left
        </button>
      )}
    </div>
  )
}

function RowView({ row, unfold }: { row: Row; unfold(key: string): void }): ReactNode {
  switch (row.row) {
    case "line":
      return <LineView line={row.line} numbers />
    case "pair":
      return (
        <div className={styles.pair}>
          <Side line={row.left} side="before" />
          <Side line={row.right} side="after" />
        </div>
      )
    case "fold":
      return (
        <button type="button" className={styles.fold} onClick={() => unfold(row.key)}>
          Show {count(row.to - row.from, "unchanged line")}
        </button>
      )
    case "gap":
      return <div className={styles.gap}>{row.after ? `line ${row.after}` : `line ${row.before}`}</div>
    case "ending":
      return <div className={styles.gap}>{row.kind === "ins" ? "no line break at the end any more" : "a line break at the end now"}</div>
  }
}

function Side({ line, side }: { line: Line | null; side: "before" | "after" }) {
  if (!line) return <div className={styles.void} />
  return <LineView line={line} side={side} />
}

const signs = { same: " ", del: "−", ins: "+" } as const
const tags = { same: "span", del: "del", ins: "ins" } as const

function LineView({ line, numbers = false, side }: { line: Line; numbers?: boolean; side?: "before" | "after" }) {
  const Text = tags[line.kind]
  return (
    <div className={styles.line} data-kind={line.kind}>
      {numbers ? (
        <>
          <span className={styles.number} aria-hidden>{line.before || ""}</span>
          <span className={styles.number} aria-hidden>{line.after || ""}</span>
        </>
      ) : (
        <span className={styles.number} aria-hidden>{side === "before" ? line.before : line.after}</span>
      )}
      <span className={styles.sign} aria-hidden>{signs[line.kind]}</span>
      <Text className={styles.text}>{partsOf(line)}</Text>
    </div>
  )
}

/** The parts of a line, cut where it is too long to show. */
function partsOf(line: Line): ReactNode[] {
  const out: ReactNode[] = []
  let left = maxLine
  for (const [i, p] of line.parts.entries()) {
    const text = p.text.length > left ? p.text.slice(0, left) : p.text
    left -= text.length
    out.push(p.changed ? <mark key={i}>{text}</mark> : text)
    if (left === 0) {
      const more = line.parts.slice(i).reduce((n, q) => n + q.text.length, 0) - text.length
      if (more > 0) out.push(<span key="more" className={styles.more}>{` … ${more} characters more`}</span>)
      break
    }
  }
  return line.parts.length === 0 || (line.parts.length === 1 && line.parts[0]!.text === "") ? ["\u200b"] : out
}

const count = (n: number, what: string) => `${n} ${what}${n === 1 ? "" : "s"}`
