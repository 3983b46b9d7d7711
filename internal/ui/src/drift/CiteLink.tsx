// Links of what a text cites: "[1]", whose handle the meta of its block has,
// and handles that stand in the text themselves.

import { useMemo, type ReactNode } from "react"
import { isOurs, type Directory } from "../core/directory"
import { citeAddress, linesOf, parseHandle, shortOf, type Piece } from "../core/handle"
import type { Meta } from "../core/meta"
import { cx } from "../parts"
import { useContexts } from "./contexts"
import css from "./Cite.module.css"

/** A link for a number in brackets. */
export function RefLink({ refNumber, handle, quote = "", stale = false, text = `[${refNumber}]` }: { refNumber: number; handle: string; quote?: string; stale?: boolean; text?: string }) {
  return (
    <a className={cx("cite", css.cite)} href={citeAddress(handle)} data-stale={stale ? "" : undefined} title={quote || undefined} aria-label={`citation ${refNumber}${stale ? ", stale" : ""}`}>
      {text}
    </a>
  )
}

/** A link for a handle that stands in a text: it reads as the lines that it names, and copies as it is. */
export function HandleLink({ text, handle, known }: { text: string; handle: string; known: Directory }) {
  const parsed = parseHandle(handle)
  if (!parsed) return text
  const label = `${sourceName(parsed.kernel, parsed.context, known)}, ${linesOf(parsed)}`
  return (
    <a className={cx("cite handle", css.cite, css.handle)} href={citeAddress(handle)} title={handle} data-label={label} aria-label={`citation of ${label}`}>
      <span>{text}</span>
    </a>
  )
}

function sourceName(kernel: string, context: string, known: Directory): string {
  const ours = isOurs(kernel, known)
  const name = (ours && known.titleOf(context)) || shortOf(context)
  return ours ? name : `${kernel}:${name}`
}

/** What <Markdown> needs to make what a block cites into links: the handles of its numbers, and how a link is drawn. */
export interface Cites {
  refs: ReadonlyMap<number, string>
  cite(piece: Piece, key: string): ReactNode
}

/** What says what is cited: the meta of a block, or a letter, which does not say what of it is stale. */
interface Citing {
  citations: Meta["citations"]
  stale?: Meta["stale"] | boolean
}

export function citesOf(citing: Citing, known: Directory): Cites {
  const quotes = new Map(citing.citations.map(c => [c.ref, c.quote]))
  const stale = new Set(Array.isArray(citing.stale) ? citing.stale.map(m => m.ref) : [])
  return {
    refs: new Map(citing.citations.map(c => [c.ref, c.handle])),
    cite: ({ text, handle = "", ref }, key) =>
      ref === undefined ? <HandleLink key={key} text={text} handle={handle} known={known} /> : <RefLink key={key} refNumber={ref} handle={handle} quote={quotes.get(ref)} stale={stale.has(ref)} text={text} />,
  }
}

/** The same for a component. */
export function useCites(citing: Citing): Cites {
  const known = useContexts()
  return useMemo(() => citesOf(citing, known), [citing, known])
}
