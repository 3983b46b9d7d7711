import { own } from "../../core/own"
import type { Block } from "../../core/schema"
import { cx } from "../../parts"
import { kindIcon, kindName } from "../kinds"
import { details } from "../record"
import { LongText } from "./LongText"
import { StatusMark } from "./StatusMark"
import { TextBody } from "./TextBody"
import css from "./bodies.module.css"

/** What of the meta is worth a line, by kind. */
const telling: Record<string, readonly string[]> = {
  checkpoint: ["name", "label", "reason"],
  run: ["model", "name", "tokens", "duration_ms"],
  resource: ["uri", "url", "title", "mime_type"],
  query: ["reason"],
  error: ["code", "source"],
  conflict: ["path", "mount"],
}

/** A card for what is neither talk nor a call: a checkpoint, a run, a resource, a question, an error, or a kind that is not known. */
export function Plain({ block }: { block: Block }) {
  const { kind, status } = block
  const facts = details(block.meta, own(telling, kind) ?? [])
  const bad = kind === "error" || kind === "conflict" || status === "error"
  const raw = !Object.hasOwn(telling, kind) || kind === "resource"
  return (
    <div className={cx(css.card, css.plain, bad && css.failed)} data-kind={kind}>
      <div className={css.head}>
        <span className={css.icon}>{kindIcon(kind)}</span>
        <span className={css.name}>{kindName(kind)}</span>
        {facts.map(([name, value]) => (
          <span key={name} className={css.fact}>
            {name} <bdi>{value}</bdi>
          </span>
        ))}
        <span className={css.gap} />
        <StatusMark status={status} word />
      </div>
      {raw && block.form !== "text" ? (
        <div className="content">
          <LongText id={block.id} text={block.content} running={status === "running"} />
        </div>
      ) : (
        <TextBody block={block} />
      )}
    </div>
  )
}
