import type { ReactNode } from "react"
import { colourOf } from "../core/actors"
import { useAuthor } from "../core/hooks"
import type { Block } from "../core/schema"
import { Avatar, TimeAgo } from "../parts"
import { useDoc, useSeatsAt } from "./doc-context"
import css from "./row.module.css"

/** The names under which a server itself writes. */
const services: ReadonlySet<string> = new Set(["kaijutsu", "git", "disk"])

/** Whether a block begins a turn: another author or role than the one above, or an hour later. */
export function useTurn(block: Block, above: string | null): boolean {
  const { model } = useDoc()
  const before = above === null ? undefined : model.block(above)
  const author = useAuthor(model, block.id)
  const other = useAuthor(model, above ?? block.id)
  if (!before) return true
  if (author.name !== other.name || speaker(before) !== speaker(block)) return true
  return block.madeAt !== null && before.madeAt !== null && Math.abs(block.madeAt - before.madeAt) > 3_600_000
}

/** On whose behalf a block speaks: tools speak for the model that called them. */
const speaker = ({ role }: Block) => (role === "tool" ? "model" : role)

/** Who speaks, and since when. */
export function RowHeader({ block, children }: { block: Block; children?: ReactNode }) {
  const { model } = useDoc()
  const author = useAuthor(model, block.id)
  const hue = colourOf(author.name)
  return (
    <header className={css.header}>
      <Avatar name={author.name} kind={author.kind !== "unknown" ? author.kind : services.has(author.name) ? "service" : block.role === "model" || block.role === "tool" ? "agent" : "unknown"} hue={hue} size={20} label="" />
      <span className={css.author} data-own={author.own || undefined}>
        {author.name}
      </span>
      {block.role !== "user" && <span className={css.role}>{block.role}</span>}
      {block.madeAt !== null && <TimeAgo at={block.madeAt} className={css.time} />}
      {children}
    </header>
  )
}

/** Who else is at a block: small coloured marks at its edge. */
export function Here({ id }: { id: string }) {
  const seats = useSeatsAt(id).filter(seat => !seat.own)
  if (seats.length === 0) return null
  return (
    <div className={css.here} aria-label={`Here: ${seats.map(s => s.nick).join(", ")}`} role="img">
      {seats.slice(0, 3).map(s => (
        <Avatar key={s.key} name={s.nick} kind={s.kind} hue={s.hue} size={18} label="" />
      ))}
      {seats.length > 3 && <span>+{seats.length - 3}</span>}
    </div>
  )
}
