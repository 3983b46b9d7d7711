// What a block rests on: what it cites, and what of that is stale, with the
// change.

import { shortened } from "../core/meta"
import { piecesOf } from "../core/handle"
import { useMemo } from "react"
import { cx } from "../parts"
import { DiffView } from "../parts/diff/DiffView"
import { HandleLink, RefLink } from "./CiteLink"
import { useContexts } from "./contexts"
import css from "./DriftBlock.module.css"
import { reasonOf, staleWords } from "./stale"
import { useMeta } from "./useMeta"

/** How much of a quote is shown, in characters. */
const maxQuote = 80
/** From how many citations on they are folded. */
const manyCitations = 6

interface RestsProps {
  block: { kind: string; meta: string; content: string; status: string }
  /** Which citations are listed: those without a link in the content, or all, with the handles in the text. */
  list?: "rest" | "all"
}

/** Nothing for a block that rests on nothing. */
export function Rests({ block, list = "rest" }: RestsProps) {
  const meta = useMeta(block)
  const known = useContexts()
  const { content, status } = block
  const cited = useMemo(() => {
    const pieces = status === "running" ? [] : piecesOf(content, new Map(meta.citations.map(c => [c.ref, c.handle])))
    return { refs: new Set(pieces.map(p => p.ref)), handles: [...new Set(pieces.flatMap(p => (p.handle !== undefined && p.ref === undefined ? [p.handle] : [])))] }
  }, [content, status, meta])
  const citations = list === "all" ? meta.citations : meta.citations.filter(c => !cited.refs.has(c.ref))
  const handles = list === "all" ? cited.handles : []
  const { stale } = meta
  if (citations.length + handles.length + stale.length === 0) return null
  const isStale = (ref: number) => stale.some(m => m.ref === ref)
  const rows = [
    ...citations.map(c => (
      <li key={c.ref}>
        <RefLink refNumber={c.ref} handle={c.handle} quote={c.quote} stale={isStale(c.ref)} />
        {c.quote && <q>{shortened(c.quote, maxQuote)}</q>}
      </li>
    )),
    ...handles.map(h => (
      <li key={h}>
        <HandleLink text={h} handle={h} known={known} />
      </li>
    )),
  ]
  return (
    <div className={cx("rests", css.rests)}>
      {rows.length > 0 && (
        <div className={cx("cites", css.cites)}>
          {rows.length > manyCitations ? (
            <details>
              <summary>Cites {rows.length} places</summary>
              <ul>{rows}</ul>
            </details>
          ) : (
            <>
              <span className={css.label}>Cites</span>
              <ul>{rows}</ul>
            </>
          )}
        </div>
      )}
      {stale.length > 0 && (
        <details className={cx("stale", css.marks)}>
          <summary>{staleWords(stale, meta.citations.length)}</summary>
          {stale.map((mark, n) => (
            <div key={n} className={css.mark}>
              {stale.length > 1 && <p>{reasonOf(mark)}</p>}
              {mark.diff !== "" && (
                <div className="diff">
                  <DiffView unified={mark.diff} label="Changes: minus is what it said, plus is what stands there now" />
                </div>
              )}
            </div>
          ))}
        </details>
      )}
    </div>
  )
}
