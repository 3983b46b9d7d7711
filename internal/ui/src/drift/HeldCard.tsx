// A drift of another kernel that waits for somebody's consent here.

import { Check, X } from "lucide-react"
import { useState } from "react"
import { op } from "../core/ops"
import { Badge, Button, Field, TimeAgo, toast } from "../parts"
import { contexts } from "./contexts"
import { Whole } from "./Whole"
import { itemFrom, outcome, type Item } from "./items"
import { Way } from "./PlaceLink"
import { useDeed } from "./useDeed"
import css from "./Views.module.css"

export function HeldCard({ item, onDone }: { item: Item; onDone(): void }) {
  const [refusing, setRefusing] = useState(false)
  const [reason, setReason] = useState("")
  const deed = useDeed()
  const answer = async (accept: boolean) => {
    const done = await deed.run(async () => itemFrom(await op<unknown>("drift_consent", { item: item.drift, accept, reason: accept ? undefined : reason.trim() || undefined })))
    if (!done) return
    toast({ text: accept ? outcome(done).text : "It is refused; its sender is told.", kind: "ok" })
    contexts.refresh()
    onDone()
  }
  return (
    <li className={css.card} data-item={item.number}>
      <header className={css.head}>
        <Badge tone="accent">{item.from.kernel || "another kernel"}</Badge>
        <Way from={item.from} to={item.to} />
        <span className={css.soft}>by {item.by || "somebody"}</span>
        <span className={css.end}>{item.at > 0 && <TimeAgo at={item.at} className={css.soft} />}</span>
      </header>
      <Whole item={item} open />
      {deed.problem && (
        <p className={css.problem} role="alert">
          {deed.problem.text}
        </p>
      )}
      {refusing ? (
        <form
          className={css.refusal}
          onSubmit={e => {
            e.preventDefault()
            void answer(false)
          }}
        >
          <Field label="Why is it refused?" hint="Its sender reads this." value={reason} onChange={e => setReason(e.target.value)} maxLength={1000} autoFocus />
          <div className={css.buttons}>
            <Button onClick={() => setRefusing(false)}>Back</Button>
            <Button type="submit" variant="danger" busy={deed.busy}>
              Refuse
            </Button>
          </div>
        </form>
      ) : (
        <div className={css.buttons}>
          <Button icon={<X aria-hidden />} onClick={() => setRefusing(true)}>
            Refuse…
          </Button>
          <Button variant="primary" icon={<Check aria-hidden />} busy={deed.busy} onClick={() => void answer(true)}>
            Accept
          </Button>
        </div>
      )}
    </li>
  )
}
