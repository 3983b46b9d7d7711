import { useState } from "react"
import { placeOf } from "../core/directory"
import { op } from "../core/ops"
import { Badge, Button, Field, TimeAgo, toast } from "../parts"
import type { Held } from "./answers"
import { Asker } from "./Asker"
import styles from "./Requests.module.css"
import { wordsOf } from "./words"

/** A drift of another kernel that waits for somebody to let it in. */
export function HeldCard({ held: h, onDone }: { held: Held; onDone(): void }) {
  const [refusing, setRefusing] = useState(false)
  const [reason, setReason] = useState("")
  const [doing, setDoing] = useState<"" | "accept" | "refuse">("")
  const [error, setError] = useState("")
  const consent = async (accept: boolean) => {
    setDoing(accept ? "accept" : "refuse")
    setError("")
    try {
      await op("drift_consent", accept ? { item: h.drift } : { item: h.drift, accept: false, ...(reason.trim() ? { reason: reason.trim() } : {}) })
      toast({ kind: "ok", text: accept ? "Delivered" : "Refused" })
      onDone()
    } catch (err) {
      setError(wordsOf(err))
    }
    setDoing("")
  }
  return (
    <article className={styles.card} aria-label={`A drift from ${h.kernel}`}>
      <header className={styles.cardHead}>
        <Asker name={h.by} />
        <span>
          of kernel <b>{h.kernel || "?"}</b> wants to send this from {h.from || "a context there"} to <a href={placeOf(h.to.id)}>{h.to.title || "a context"}</a>
        </span>
        <span className={styles.grow} />
        {h.act && <Badge tone="warn" title="It asks that an agent here acts on it">asks to act</Badge>}
        <TimeAgo className={styles.faint} at={h.at} />
      </header>
      <p className={styles.message}>{h.content}</p>
      {refusing && <Field label="Why, for its sender" value={reason} onChange={e => setReason(e.target.value)} autoFocus />}
      {error && <p className={styles.error} role="alert">{error}</p>}
      <div className={styles.row}>
        {!refusing && <Button variant="primary" busy={doing === "accept"} disabled={doing !== ""} onClick={() => void consent(true)}>Let it in</Button>}
        <Button variant={refusing ? "danger" : "plain"} busy={doing === "refuse"} disabled={doing !== ""} onClick={() => (refusing ? void consent(false) : setRefusing(true))}>
          {refusing ? "Refuse it" : "Refuse…"}
        </Button>
        {refusing && <Button variant="ghost" onClick={() => setRefusing(false)}>Back</Button>}
      </div>
    </article>
  )
}
