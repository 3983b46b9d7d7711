import { memo, useDeferredValue, useMemo } from "react"
import type { Block } from "../../core/schema"
import { useCites } from "../../drift/CiteLink"
import { useMeta } from "../../drift/useMeta"
import { Markdown } from "../../editor/Markdown"
import { alwaysSource, usePreference } from "../../parts"
import { settledParts } from "../stream"
import { BlameText } from "../../time/BlameLayer"
import { useBlameHere } from "../../time/useBlame"
import { LongText } from "./LongText"
import css from "./bodies.module.css"

/** Longer texts are not set as Markdown, in characters. */
const maxMarkdown = 60_000

/** Written words, set as Markdown. While they are being written what is settled stays as it is. */
export const Prose = memo(function Prose({ block }: { block: Block }) {
  const { status, id } = block
  const content = useDeferredValue(block.content) // what others write is set when no key waits
  const cites = useCites(useMeta(block))
  const blame = useBlameHere()
  const [source] = usePreference(alwaysSource)
  const running = status === "running"
  const parts = useMemo(() => (running && content.length <= maxMarkdown ? settledParts(content) : null), [running, content])
  if (content.length > maxMarkdown) return <LongText id={id} text={content} running={running} />
  if (content.trim() === "") return <p className={css.nothing}>{running ? "" : "Empty"}</p>
  if (blame.on) return <BlameText id={id} content={content} />
  if (source) return <pre className={css.source}>{content}</pre>
  if (parts === null) return <Markdown text={content} {...cites} />
  return parts.map((part, n) => <Markdown key={n} text={part} />)
})
