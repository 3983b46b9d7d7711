import type { Block } from "../core/schema"
import { Markdown } from "../editor/Markdown"
import { kindName } from "./kinds"
import { readCall } from "./record"
import css from "./print.module.css"

/** Longer contents are cut when they are only to be read, in characters. */
const maxShown = 200_000
const maxMarkdown = 60_000

/** A block to be read and not touched: on paper, or as it was at another time. */
export function RenderedBlock({ block }: { block: Block }) {
  const { kind, content } = block
  return (
    <div className={css.block} data-kind={kind} data-role={block.role} data-excluded={block.excluded || undefined}>
      {kind !== "text" && <p className={css.kind}>{kind === "tool_call" ? readCall(content, block.meta).name : kindName(kind)}</p>}
      <Content block={block} />
    </div>
  )
}

export default RenderedBlock

function Content({ block: { kind, content, meta } }: { block: Block }) {
  const text = kind === "tool_call" ? readCall(content, meta).pretty : content
  if (/^(tool_|shell_|file$|resource$|run$)/.test(kind) || text.length > maxMarkdown) {
    return (
      <pre className={css.mono}>
        {text.slice(0, maxShown)}
        {text.length > maxShown && "…"}
      </pre>
    )
  }
  return <Markdown text={text} />
}
