import { useEffect, useState } from "react"
import { createPortal, flushSync } from "react-dom"
import type { ContextModel } from "../core/model"
import { RenderedBlock } from "./RenderedBlock"
import css from "./print.module.css"

/** The whole context on paper: while the browser prints, all blocks stand in the page, set as Markdown. */
export function PrintSheet({ model }: { model: ContextModel }) {
  const [printing, setPrinting] = useState(false)
  useEffect(() => {
    const before = () => flushSync(() => setPrinting(true))
    const after = () => setPrinting(false)
    addEventListener("beforeprint", before)
    addEventListener("afterprint", after)
    return () => {
      removeEventListener("beforeprint", before)
      removeEventListener("afterprint", after)
    }
  }, [])
  if (!printing) return null
  return createPortal(
    <div className={css.sheet} data-print>
      <h1>{model.title || "Untitled"}</h1>
      {model.everything().map(block => (
        <RenderedBlock key={block.id} block={block} />
      ))}
    </div>,
    document.body,
  )
}
