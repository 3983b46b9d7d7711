import { lazy, Suspense } from "react"
import type { Block } from "../../core/schema"
import type { Line } from "../lines"
import { useDoc } from "../doc-context"
import { CallCard } from "./CallCard"
import { Plain } from "./Plain"
import { OutputCard, ShellCard } from "./ShellCard"
import { Task } from "./Task"
import { TextBody } from "./TextBody"
import { Thinking } from "./Thinking"
import { LongText } from "./LongText"
import css from "./bodies.module.css"
import { cx } from "../../parts"

const DriftBlock = lazy(() => import("../../drift/DriftBlock"))
const File = lazy(() => import("./File"))

/** The content of a block, in the shape of its kind. */
export function Body({ block, line }: { block: Block; line: Line }) {
  const { model } = useDoc()
  switch (block.kind) {
    case "text":
      return <TextBody block={block} />
    case "comment":
      return <TextBody block={block} className={css.comment} />
    case "task":
      return <Task block={block} />
    case "thinking":
      return <Thinking block={block} />
    case "tool_call":
      return <CallCard block={block} results={line.results} />
    case "tool_result":
      return (
        <div className={cx("content", css.card)}>
          <LongText id={block.id} text={block.content} running={block.status === "running"} />
        </div>
      )
    case "shell_command":
      return <ShellCard block={block} results={line.results} />
    case "shell_output":
      return <OutputCard block={block} />
    case "drift":
      return (
        <Suspense fallback={<div className="content">{block.content.slice(0, 2000)}</div>}>
          <DriftBlock model={model} block={block} />
        </Suspense>
      )
    case "file":
      return (
        <Suspense fallback={<div className="content" />}>
          <File block={block} />
        </Suspense>
      )
    default:
      return <Plain block={block} />
  }
}
