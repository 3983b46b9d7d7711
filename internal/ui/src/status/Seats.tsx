import { useMemo } from "react"
import { colourOf } from "../core/actors"
import { placeOf } from "../core/directory"
import { useOp } from "../core/hooks"
import { Avatar, TimeAgo } from "../parts"
import { seatsFrom, titlesFrom } from "./answers"
import { kindOf } from "./Connections"
import styles from "./Status.module.css"

const shown = 100

/** Who is there, and where they sit. */
export function Seats() {
  const asked = useOp<unknown>("seat_list", {}, { every: 10_000, on: "ctx.*.seat.*" })
  const seats = useMemo(() => seatsFrom(asked.data), [asked.data])
  const contexts = useOp<unknown>(seats.length > 0 ? "context_list" : null, {}, { every: 60_000 })
  const titles = useMemo(() => titlesFrom(contexts.data), [contexts.data])
  if (asked.data === undefined) return null
  return (
    <section className={styles.section}>
      <h2>Seats</h2>
      {seats.length === 0 ? (
        <p className={styles.faint}>Nobody is there.</p>
      ) : (
        <ul className={styles.seats}>
          {seats.slice(0, shown).map(s => (
            <li key={`${s.principal}/${s.nick}/${s.instance}/${s.context}`}>
              <Avatar name={s.principal} kind={kindOf(s.kind)} hue={colourOf(s.principal)} size={24} status={s.status === "active" ? "active" : s.status === "idle" || s.status === "away" ? "idle" : "busy"} label="" />
              <span className={styles.seatText}>
                <span>
                  <b>{s.principal}</b> <span className={styles.faint}>{s.status}, by {s.door}</span>
                </span>
                <span className={styles.faint}>{s.context ? <a href={placeOf(s.context)}>{titles.get(s.context) || "a context"}</a> : "nowhere"}</span>
              </span>
              <TimeAgo className={styles.faint} at={s.since} />
            </li>
          ))}
        </ul>
      )}
      {seats.length > shown && <p className={styles.faint}>and {(seats.length - shown).toLocaleString("en")} more</p>}
    </section>
  )
}
