import { TriangleAlert } from "lucide-react"
import type { Block } from "../core/schema"
import { cx } from "../parts"
import css from "./DriftBlock.module.css"
import { staleWords } from "./stale"
import { useMeta } from "./useMeta"

/** Says that something that a block cites has changed since; nothing where all stands. */
export function StaleMark({ block }: { block: Pick<Block, "kind" | "meta"> }) {
  const { stale, citations } = useMeta(block)
  if (stale.length === 0) return null
  return (
    <span className={cx("badge stale", css.stale)} title={staleWords(stale, citations.length)}>
      <TriangleAlert aria-hidden size={12} />
      stale
    </span>
  )
}
