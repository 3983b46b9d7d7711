import { Ban, CircleAlert, Clock } from "lucide-react"
import css from "./bodies.module.css"

/** How work stands, as a mark and a word for those who do not see it. Nothing for work that is done. */
export function StatusMark({ status, word = false }: { status: string; word?: boolean }) {
  if (status === "done" || status === "") return null
  const icon = status === "error" ? <CircleAlert aria-hidden /> : status === "cancelled" ? <Ban aria-hidden /> : status === "pending" ? <Clock aria-hidden /> : <span className={css.pulse} aria-hidden />
  return (
    <span className={css.status} data-status={status} title={status}>
      {icon}
      <span className={word ? undefined : "sr-only"}>{status}</span>
    </span>
  )
}
