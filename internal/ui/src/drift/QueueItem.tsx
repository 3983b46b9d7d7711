// A drift that waits: where to, what it says, and how to take it back.

import { ChevronRight } from "lucide-react"
import { useId, useState } from "react"
import { op } from "../core/ops"
import { ask, Badge, Button, TimeAgo, toast } from "../parts"
import { contexts } from "./contexts"
import { itemFrom, outcome, stateWords, type Item } from "./items"
import { ActState } from "./Origin"
import { nameOf } from "./place"
import { PlaceLink } from "./PlaceLink"
import { useDeed } from "./useDeed"
import css from "./Views.module.css"
import { Whole } from "./Whole"

export function QueueItem({ item, onChange, more }: { item: Item; onChange(): void; more?: React.ReactNode }) {
  const id = useId()
  const [open, setOpen] = useState(false)
  const deed = useDeed()
  const cancel = async () => {
    if (!(await ask({ title: `Take #${item.number} out of the queue?`, text: `It is not delivered to ${nameOf(item.to)}, and does not come back.`, verb: "Take it out", danger: true }))) return
    const done = await deed.run(async () => itemFrom(await op<unknown>("drift_cancel", { item: item.drift })))
    if (done) toast({ text: outcome(done).text, kind: "ok" })
    contexts.refresh()
    onChange()
  }
  return (
    <li className={css.card} data-item={item.number}>
      <header className={css.head}>
        <button type="button" className={css.fold} aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
          <ChevronRight aria-hidden size={15} />
          <span className="sr-only">{open ? "Fold" : "Show all of"} </span>#{item.number}
        </button>
        <span className={css.soft}>{item.kind} to</span>
        <PlaceLink place={item.to} />
        <span className={css.soft}>by {item.by || "somebody"}</span>
        {item.state !== "staged" && <Badge tone={item.state === "dead" ? "danger" : "accent"}>{stateWords(item.state)}</Badge>}
        {item.act && <ActState act={item.act} />}
        <span className={css.end}>
          {item.at > 0 && <TimeAgo at={item.at} className={css.soft} />}
          {more}
          <Button size="s" variant="ghost" busy={deed.busy} onClick={() => void cancel()}>
            Cancel
          </Button>
        </span>
      </header>
      <div id={id}>
        <Whole item={item} open={open} />
      </div>
      {(item.failures > 0 || item.error || item.reason) && (
        <p className={css.reason} data-dead={item.state === "dead" ? "" : undefined}>
          {item.failures > 0 && `Tried ${item.failures === 1 ? "once" : `${item.failures} times`}: `}
          {item.error || item.reason}
        </p>
      )}
      {deed.problem && (
        <p className={css.problem} role="alert">
          {deed.problem.text}
        </p>
      )}
    </li>
  )
}
