// Markdown to elements, in a time that is bounded.

import type { ReactElement, ReactNode } from "react"
import ReactMarkdown, { type Components } from "react-markdown"
import { citeAddress, type Piece } from "../../core/handle"
import { gfm } from "./gfm"
import { elements, wordsOf } from "./elements"
import { citeTag, hiddenTag, ownTree } from "./tree"
import css from "../Markdown.module.css"

export type Cite = (piece: Piece, key: string) => ReactNode

const noRefs: ReadonlyMap<number, string> = new Map()

/** What a text of one piece looks like; null when it cannot be made. */
export function rendered(text: string, refs = noRefs, cite?: Cite): ReactElement | null {
  const components = {
    ...elements,
    [citeTag]: ({ handle, number, children }: { handle: string; number?: number; children?: ReactNode }) => {
      const words = wordsOf(children)
      const piece: Piece = { text: words, handle, ...(number !== undefined && { ref: number }) }
      return cite ? cite(piece, handle) : <a href={citeAddress(handle)}>{words}</a>
    },
    [hiddenTag]: ({ children }: { children?: ReactNode }) => <span className={css.hidden}>{children}</span>,
  } as Components
  try {
    // It has no state and no hooks: called here so that what it throws is caught here.
    return ReactMarkdown({ children: text, remarkPlugins: [gfm], rehypePlugins: [ownTree(refs)], components, urlTransform: url => url })
  } catch {
    return null
  }
}
