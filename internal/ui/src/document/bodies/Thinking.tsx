import { ChevronRight } from "lucide-react"
import type { Block } from "../../core/schema"
import { shortened } from "../../core/meta"
import { cx } from "../../parts"
import { useDoc, useRowState } from "../doc-context"
import { kindIcon } from "../kinds"
import { TextBody } from "./TextBody"
import css from "./bodies.module.css"

/** What a model thought: dimmed, and folded unless it is still thinking. */
export function Thinking({ block }: { block: Block }) {
  const { state } = useDoc()
  const { id, status, content } = block
  const open = useRowState(id, s => s.isOpen(id, status === "running") || s.editing?.id === id)
  return (
    <div className={cx(!open && "content", css.thinking)}>
      <button type="button" className={css.line} aria-expanded={open} onClick={() => state.setOpen(id, !open)}>
        <ChevronRight className={css.chevron} aria-hidden />
        <span className={css.icon}>{kindIcon("thinking")}</span>
        <span>{status === "running" ? "Thinking…" : "Thought"}</span>
        {!open && <bdi className={css.summary}>{shortened(content.slice(0, 600), 160)}</bdi>}
      </button>
      {open && <TextBody block={block} className={css.thoughts} />}
    </div>
  )
}
