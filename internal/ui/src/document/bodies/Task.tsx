import type { Block } from "../../core/schema"
import { cx } from "../../parts"
import { useDoc } from "../doc-context"
import { TextBody } from "./TextBody"
import css from "./bodies.module.css"

/** Something to do, with a box to tick. */
export function Task({ block }: { block: Block }) {
  const { act, rights } = useDoc()
  const done = block.status === "done"
  return (
    <div className={css.task} data-done={done || undefined}>
      <input type="checkbox" checked={done} disabled={rights !== "edit"} aria-label="Done" onChange={e => act.tick(block.id, e.target.checked)} />
      <TextBody block={block} className={cx(css.what)} />
    </div>
  )
}
