import { useBlock } from "../../core/hooks"
import type { Block } from "../../core/schema"
import { cx } from "../../parts"
import { useDoc } from "../doc-context"
import { duration, exitCode } from "../record"
import { span } from "../words"
import { LongText } from "./LongText"
import { Outcomes } from "./Outcomes"
import { StatusMark } from "./StatusMark"
import css from "./bodies.module.css"

/** A command of a shell with what it printed, as in a terminal. */
export function ShellCard({ block, results }: { block: Block; results: readonly string[] }) {
  const { model } = useDoc()
  const last = useBlock(model, results.at(-1) ?? block.id)
  const code = exitCode(last?.meta ?? "", block.meta)
  const took = duration(last?.meta ?? "", block.meta)
  const status = last && last.status !== "done" ? last.status : block.status
  return (
    <div className={cx("content", css.terminal)}>
      <div className={css.prompt}>
        <span aria-hidden>$</span>
        <code>
          <LongText id={block.id} text={block.content} />
        </code>
        <span className={css.gap} />
        {took !== null && <span className={css.took}>{span(took)}</span>}
        {code !== null && (
          <span className={css.exit} data-failed={code !== 0 || undefined}>
            exit {code}
          </span>
        )}
        <StatusMark status={status} />
      </div>
      <Outcomes results={results} of={Output} />
    </div>
  )
}

function Output({ id }: { id: string }) {
  const { model } = useDoc()
  const block = useBlock(model, id)
  if (!block) return null
  return (
    <div className={css.output} data-block={id} data-kind={block.kind} data-role={block.role} data-status={block.status}>
      {block.content === "" ? block.status !== "running" && <p className={css.nothing}>No output</p> : <LongText id={id} text={block.content} running={block.status === "running"} />}
    </div>
  )
}

/** Output whose command is not known. */
export function OutputCard({ block }: { block: Block }) {
  const code = exitCode(block.meta)
  return (
    <div className={cx("content", css.terminal)}>
      <div className={css.output}>
        <LongText id={block.id} text={block.content} running={block.status === "running"} />
        {code !== null && (
          <span className={css.exit} data-failed={code !== 0 || undefined}>
            exit {code}
          </span>
        )}
      </div>
    </div>
  )
}
