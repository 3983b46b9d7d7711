// Who is at the context, and where.

import { go } from "../core/route"
import { useBlock } from "../core/hooks"
import type { ContextModel } from "../core/model"
import { Avatar, Popover, Tooltip } from "../parts"
import type { Seat } from "./seat"
import css from "./Seats.module.css"
import { usePresence } from "./usePresence"

/** So many stand in a row; the others are behind a number. */
const most = 6

export function Seats({ model }: { model: ContextModel }) {
  const { peers } = usePresence(model)
  const others = peers.filter(s => !s.own)
  if (others.length === 0) return null
  const rest = others.slice(most)
  return (
    <ul className={css.seats} aria-label="Who is here">
      {others.slice(0, most).map(seat => (
        <li key={seat.key}>
          <Place model={model} seat={seat} />
        </li>
      ))}
      {rest.length > 0 && (
        <li>
          <Popover
            label="Who else is here"
            trigger={
              <button type="button" className={css.more} aria-label={`${rest.length} more`}>
                +{rest.length}
              </button>
            }
          >
            <ul className={css.list}>
              {rest.map(seat => (
                <li key={seat.key}>
                  <Place model={model} seat={seat} named />
                </li>
              ))}
            </ul>
          </Popover>
        </li>
      )}
    </ul>
  )
}

function Place({ model, seat, named = false }: { model: ContextModel; seat: Seat; named?: boolean }) {
  const where = useWhere(model, seat)
  const said = `${seat.nick}${seat.kind === "agent" ? " (agent)" : ""}: ${where}`
  const jump = () => go({ view: "context", url: model.url, block: seat.block })
  const face = <Avatar name={seat.nick} kind={seat.kind} hue={seat.hue} label="" {...(seat.status !== "away" && { status: seat.typing ? "busy" as const : seat.status })} />
  return (
    <Tooltip text={said}>
      <button type="button" className={css.seat} data-seat={seat.nick} data-kind={seat.kind} data-status={seat.status} aria-label={said} aria-disabled={!seat.block} onClick={() => seat.block && jump()}>
        {face}
        {named && <span>{seat.nick}</span>}
      </button>
    </Tooltip>
  )
}

/** What somebody does, in words. */
function useWhere(model: ContextModel, seat: Seat): string {
  const block = useBlock(model, seat.block)
  const words = block?.content.slice(0, 80).replace(/\s+/g, " ").trim()
  const at = words ? ` in “${words.length > 40 ? words.slice(0, 40) + "…" : words}”` : ""
  if (seat.status === "away") return `away${at}`
  if (seat.status === "idle") return `idle${at}`
  if (!seat.block) return "here"
  return `${seat.typing ? "writing" : "reading"}${at}`
}
