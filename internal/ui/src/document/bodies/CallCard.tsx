import { ChevronRight } from "lucide-react"
import { useMemo } from "react"
import { useBlock } from "../../core/hooks"
import type { Block } from "../../core/schema"
import { CodeView } from "../../editor/CodeView"
import { cx, Spinner } from "../../parts"
import { useDoc, useRowState } from "../doc-context"
import { kindIcon } from "../kinds"
import { duration, fieldsOf, readCall } from "../record"
import { span } from "../words"
import { LongText } from "./LongText"
import { Outcomes } from "./Outcomes"
import { StatusMark } from "./StatusMark"
import css from "./bodies.module.css"

/** Longer arguments are shown as they are, without colours, in characters. */
const maxColoured = 20_000

/** A tool call and what came of it: one line, and all of it when opened. */
export function CallCard({ block, results }: { block: Block; results: readonly string[] }) {
  const { model, state } = useDoc()
  const { id, content, meta } = block
  const open = useRowState(id, s => s.isOpen(id, false))
  const call = useMemo(() => readCall(content, meta), [content, meta])
  const last = useBlock(model, results.at(-1) ?? id)
  const status = outcome(block, results.length ? last : undefined)
  const took = duration(last?.meta ?? "", meta)
  return (
    <div className={cx("content", css.card, status === "error" && css.failed)}>
      <button type="button" className={css.line} aria-expanded={open} onClick={() => state.setOpen(id, !open)}>
        <ChevronRight className={css.chevron} aria-hidden />
        <span className={css.icon}>{kindIcon(block.kind)}</span>
        <span className={css.name}>{call.name}</span>
        <bdi className={css.summary}>{call.summary}</bdi>
        {took !== null && <span className={css.took}>{span(took)}</span>}
        {status === "running" ? <Spinner label="running" /> : <StatusMark status={status} />}
      </button>
      {open && (
        <div className={css.inside}>
          {call.pretty.trim() !== "" && (call.pretty.length > maxColoured ? <LongText id={id} text={call.pretty} /> : <CodeView text={call.pretty} lang={call.lang || undefined} />)}
          <Outcomes results={results} of={Result} />
          {results.length === 0 && <p className={css.nothing}>{status === "running" || status === "pending" ? "No result yet" : "No result"}</p>}
        </div>
      )}
    </div>
  )
}

/** What came of a call, in its card. */
function Result({ id }: { id: string }) {
  const { model } = useDoc()
  const block = useBlock(model, id)
  if (!block) return null
  const failed = block.status === "error" || fieldsOf(block.meta).is_error === true
  return (
    <div className={cx(css.result, failed && css.failed)} data-block={id} data-kind={block.kind} data-role={block.role} data-status={block.status}>
      <p className={css.caption}>{failed ? "Error" : block.status === "running" ? "Result, still coming" : "Result"}</p>
      {block.content === "" ? <p className={css.nothing}>Empty</p> : <LongText id={id} text={block.content} running={block.status === "running"} />}
    </div>
  )
}

/** How a call went: what its last result says, once there is one. */
function outcome(call: Block, result: Block | undefined): string {
  if (result && (result.status === "error" || fieldsOf(result.meta).is_error === true)) return "error"
  if (result && call.status === "running") return result.status
  return call.status
}
