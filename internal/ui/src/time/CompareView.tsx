// What differs between two points in time, block by block.

import { useEffect, useState } from "react"
import { Badge, Button, Empty, Spinner } from "../parts"
import { DiffView, type DiffMode } from "../parts/diff/DiffView"
import styles from "./CompareView.module.css"
import { askDiff, type BlockDiff, type ContextDiff } from "./compare"
import { plural, say } from "./words"

export interface CompareViewProps {
  context: string
  /** Moments. */
  from: string
  to: string
  mode: DiffMode
  /** What the two are called. */
  title: string
  onBlock(id: string): void
}

/** How many blocks show at first. */
const portion = 60

export function CompareView({ context, from, to, mode, title, onBlock }: CompareViewProps) {
  const key = `${from} ${to}`
  const [got, setGot] = useState<{ key: string; diff: ContextDiff | null; error: Error | null }>({ key: "", diff: null, error: null })
  const [again, setAgain] = useState(0)
  const [shown, setShown] = useState(portion)
  useEffect(() => {
    const stop = new AbortController()
    // While a thumb moves nothing is asked.
    const timer = setTimeout(() => {
      askDiff(context, from, to, stop.signal).then(
        diff => !stop.signal.aborted && setGot({ key, diff, error: null }),
        (error: Error) => !stop.signal.aborted && setGot({ key, diff: null, error }),
      )
    }, 80)
    setShown(portion)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [context, from, to, again])
  const { diff, error } = got
  if (error && got.key === key) return <Empty title="The difference cannot be shown" action={<Button onClick={() => setAgain(n => n + 1)}>Try again</Button>}>{say(error)}</Empty>
  if (!diff) return <div className={styles.wait}><Spinner label="Comparing" large /></div>
  return (
    <div className={styles.scroller} tabIndex={0} role="region" aria-label={title} aria-busy={got.key !== key}>
      <div className={styles.sheet} data-mode={mode}>
        <h2 className={styles.title}>{title}</h2>
        <p className={styles.sum}>{sum(diff)}</p>
        {diff.title && (
          <p className={styles.renamed}>
            Title: <del>{diff.title.from || "untitled"}</del> → <ins>{diff.title.to || "untitled"}</ins>
          </p>
        )}
        {diff.blocks.slice(0, shown).map(b => <BlockRow key={b.id} diff={b} mode={mode} onBlock={onBlock} />)}
        {diff.blocks.length > shown && <Button onClick={() => setShown(shown + portion)}>Show more: {plural(diff.blocks.length - shown, "block")} left</Button>}
      </div>
    </div>
  )
}

function BlockRow({ diff, mode, onBlock }: { diff: BlockDiff; mode: DiffMode; onBlock(id: string): void }) {
  return (
    <article className={styles.block} data-block={diff.id}>
      <header>
        {diff.how.map(h => <Badge key={h} tone={h === "inserted" || h === "restored" ? "ok" : h === "deleted" ? "danger" : undefined}>{h}</Badge>)}
        <span className={styles.kind}>{diff.kind} · {diff.role}</span>
        {diff.status && <span className={styles.kind}>{diff.status.from} → {diff.status.to}</span>}
        <Button size="s" variant="ghost" onClick={() => onBlock(diff.id)}>States</Button>
      </header>
      {diff.patch !== "" && <DiffView unified={diff.patch} mode={mode} label="Text" />}
    </article>
  )
}

function sum({ blocks }: ContextDiff): string {
  if (blocks.length === 0) return "No block differs."
  const ins = blocks.reduce((n, b) => n + b.inserted, 0)
  const del = blocks.reduce((n, b) => n + b.deleted, 0)
  return `${plural(blocks.length, "block")} · ${plural(ins, "line")} added · ${plural(del, "line")} removed`
}
