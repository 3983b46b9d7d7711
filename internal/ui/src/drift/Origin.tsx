// Where a drift block comes from, by whom, and how it was made, in one line.

import { ArrowUpRight, CornerDownRight } from "lucide-react"
import type { ReactNode } from "react"
import { isOurs, placeOf, type Directory } from "../core/directory"
import { shortOf } from "../core/handle"
import type { Drift } from "../core/meta"
import { Badge, cx } from "../parts"
import { many } from "./check"
import css from "./DriftBlock.module.css"
import { actWords } from "./letters"
import type { Provenance } from "./provenance"

export function Origin({ drift, more, known }: { drift: Drift; more: Provenance; known: Directory }) {
  const how = madeBy(drift)
  // The chain ends with where it comes from, which stands there already.
  const before = more.chain.filter(place => !place.endsWith(`:${drift.context}`))
  return (
    <div className={css.from}>
      <CornerDownRight aria-hidden size={14} />
      <p className={cx("origin", css.origin)}>
        <span>
          {drift.kind || "drift"} from <Source drift={drift} known={known} />
        </span>
        {drift.sender && <span>by {drift.sender}</span>}
        {how && <span>{how}</span>}
        {more.heads.length > 0 && (
          <small title={more.heads.join("\n")}>
            as of <code>{more.heads[0]!.slice(0, 8)}</code>
            {more.heads.length > 1 && ` +${more.heads.length - 1}`}
          </small>
        )}
        {before.length > 0 && <small title={before.join("\n")}>by way of {many(before.length, "context")}</small>}
      </p>
      {drift.act && <ActState act={drift.act} />}
    </div>
  )
}

function Source({ drift, known }: { drift: Drift; known: Directory }): ReactNode {
  const ours = isOurs(drift.kernel, known) || known.titleOf(drift.context) !== undefined
  const title = (ours && known.titleOf(drift.context)) || drift.title
  const short = shortOf(drift.context)
  const name = title ? (
    <>
      <span>{title}</span> <code>{short}</code>
    </>
  ) : (
    <code>{short || "nowhere"}</code>
  )
  const place = ours ? placeOf(drift.context) : ""
  if (place)
    return (
      <a href={place}>
        {name}
        <ArrowUpRight aria-hidden size={12} />
      </a>
    )
  return (
    <>
      <b>{name}</b>
      {!ours && ` of the kernel ${drift.kernel}`}
    </>
  )
}

/** What became of the wish that the receiver act on it. */
export function ActState({ act }: { act: string }) {
  const tone = act === "granted" ? "ok" : act === "declined" ? "plain" : "warn"
  return (
    <Badge tone={tone} className={css.act}>
      {actWords(act)}
    </Badge>
  )
}

/** Who worded it. */
export function madeBy({ distiller, model }: Pick<Drift, "distiller" | "model">): string {
  if (distiller === "extractive") return "extract without a model"
  if (model) return distiller ? `written by ${model} (${distiller})` : `model ${model}`
  return distiller && `written by ${distiller}`
}
