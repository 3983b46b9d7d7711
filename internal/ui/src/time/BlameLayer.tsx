// The text of a block in the colours of those who wrote it, the legend, and
// the same for editors.

import type { Extension } from "@codemirror/state"
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore, type ReactNode } from "react"
import { colourOf } from "../core/actors"
import { Avatar, Button, cx } from "../parts"
import styles from "./Blame.module.css"
import { ageOf, type BlameBook, type BlameSpan } from "./blame"
import { useBlameHere, type BlameBy } from "./useBlame"
import { nameOf, whenExactly } from "./words"

/** What is coloured of a block. */
const maxShown = 100_000

/** How a stretch looks, and what it says when pointed at. */
export function lookOf(span: BlameSpan, by: BlameBy): { className: string; title: string } {
  if (span.author === "") return { className: "", title: "" }
  const look = by === "author" ? `hue-${colourOf(span.author)} ${styles.author}` : styles[`age${ageOf(span.time)}`]
  const via = span.via ? ` via ${span.via}` : ""
  return { className: cx(styles.span, look), title: `${nameOf(span.author)}${via}, ${whenExactly(span.time)}` }
}

/** A block's text as it is, in colours. */
export function BlameText({ id, content }: { id: string; content: string }) {
  const { book, by } = useBlameHere()
  const spans = useSpans(book, id)
  const shown = content.length > maxShown ? content.slice(0, maxShown) : content
  const parts = useMemo((): ReactNode[] => {
    if (!spans) return [shown]
    return spans.flatMap((span, n): ReactNode[] => {
      if (span.from >= shown.length) return []
      const text = shown.slice(span.from, span.to)
      const { className, title } = lookOf(span, by)
      return className ? [<span key={n} className={className} title={title}>{text}</span>] : [text]
    })
  }, [spans, shown, by])
  return (
    <div className={styles.text} data-blame={by} aria-busy={spans === null}>
      {parts}
      {content.length > maxShown && "…"}
    </div>
  )
}

function useSpans(book: BlameBook | null, id: string): readonly BlameSpan[] | null {
  const watch = useCallback((fn: () => void) => book?.watch(id, fn) ?? (() => {}), [book, id])
  return useSyncExternalStore(watch, () => book?.spans(id) ?? null)
}

/** Who wrote how much of what was looked at, and what the colours mean. Nothing while they are off. */
export function BlameLegend() {
  const { on, by, set, book } = useBlameHere()
  useSyncExternalStore(useCallback((fn: () => void) => book?.subscribe(fn) ?? (() => {}), [book]), () => book?.version ?? 0)
  if (!on) return null
  const shares = book?.shares() ?? []
  const all = shares.reduce((n, s) => n + s.chars, 0)
  return (
    <div className={cx(styles.legend, "no-print")} role="group" aria-label={by === "author" ? "Coloured by author" : "Coloured by age"}>
      {by === "author"
        ? shares.slice(0, 10).map(({ author, chars }) => (
            <span key={author} className={styles.entry}>
              <Avatar name={author} hue={colourOf(author)} size={16} label="" />
              {nameOf(author)} <span className={styles.share}>{share(chars / all)}</span>
            </span>
          ))
        : ageNames.map((name, n) => (
            <span key={name} className={styles.entry}>
              <span className={cx(styles.swatch, styles[`age${n}`])} aria-hidden />
              {name}
            </span>
          ))}
      {by === "author" && shares.length === 0 && <span className={styles.share}>Asking who wrote this…</span>}
      <span className={styles.buttons}>
        <Button size="s" variant="ghost" onClick={() => set(by === "author" ? "age" : "author")}>{by === "author" ? "By age" : "By author"}</Button>
        <Button size="s" variant="ghost" onClick={() => set("off")}>Off</Button>
      </span>
    </div>
  )
}

const ageNames = ["this hour", "today", "this week", "this month", "this year", "older"]

const share = (part: number) => (part > 0 && part < 0.01 ? "<1 %" : `${Math.round(part * 100)} %`)

/** Colours for the editor of a block; nothing while they are off, or until their code is there. */
export function useBlameExtension(id: string): Extension | undefined {
  const { book, by } = useBlameHere()
  const [made, setMade] = useState<{ book: BlameBook; id: string; by: BlameBy; extension: Extension } | null>(null)
  useEffect(() => {
    if (!book) return
    let wanted = true
    import("./editorBlame").then(
      m => wanted && setMade({ book, id, by, extension: m.editorBlame(book, id, by) }),
      () => undefined, // without their code the text is plain
    )
    return () => void (wanted = false)
  }, [book, id, by])
  return made && made.book === book && made.id === id && made.by === by ? made.extension : undefined
}
