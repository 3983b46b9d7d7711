// A text as its Markdown is meant. It becomes elements and never HTML; see
// markdown/ for what may be in it.

import { memo, startTransition, useEffect, useMemo, useState } from "react"
import { inTextPieces, type TextPiece } from "./markdown/pieces"
import { rendered, type Cite } from "./markdown/render"
import { hiding, nameOf } from "./markdown/tree"
import css from "./Markdown.module.css"

export interface MarkdownProps {
  text: string
  /** The handles that "[1]" stands for. */
  refs?: ReadonlyMap<number, string> | undefined
  /** How a citation shows; without it, as a link to what it cites. */
  cite?: Cite | undefined
}

/** So many pieces show at once, and so many more each time that the page has nothing else to do. */
const atOnce = 6
const later = 3

export const Markdown = memo(function Markdown({ text, refs, cite }: MarkdownProps) {
  const pieces = useMemo(() => inTextPieces(text), [text])
  const ready = useReady(pieces.length)
  if (pieces.length === 1) return <div className={css.markdown}><Part piece={pieces[0]!} refs={refs} cite={cite} /></div>
  return (
    <div className={css.markdown}>
      {pieces.map((piece, n) => (
        <div key={n} className={css.part}>
          <Part piece={n < ready ? piece : { text: piece.text, plain: true }} refs={refs} cite={cite} />
        </div>
      ))}
    </div>
  )
})

/** How many pieces are shown as Markdown by now. */
function useReady(all: number): number {
  const [ready, setReady] = useState(atOnce)
  useEffect(() => {
    if (ready >= all) return
    const more = () => startTransition(() => setReady(n => n + later))
    const timer = setTimeout(more, 16)
    return () => clearTimeout(timer)
  }, [ready, all])
  return ready
}

const Part = memo(
  function Part({ piece, refs, cite }: { piece: TextPiece; refs: MarkdownProps["refs"]; cite: MarkdownProps["cite"] }) {
    const made = useMemo(() => (piece.plain ? null : rendered(piece.text, refs, cite)), [piece.plain, piece.text, refs, cite])
    return made ?? <div className={css.plain}>{visible(piece.text)}</div>
  },
  (a, b) => a.piece.text === b.piece.text && a.piece.plain === b.piece.plain && a.refs === b.refs && a.cite === b.cite,
)

const each = new RegExp(hiding.source, "gu")

/** A text as it is, with its hidden characters spelled out. */
const visible = (text: string) => (hiding.test(text) ? text.replace(each, char => `[${nameOf(char)}]`) : text)
