// What waits to be delivered, what could not be, and what was.

import { useMemo, useState } from "react"
import { useOp } from "../core/hooks"
import { Tabs } from "../parts"
import { DeadLetters } from "./DeadLetters"
import { Delivered } from "./Delivered"
import { itemsFrom } from "./items"
import css from "./Views.module.css"
import { Waiting } from "./Waiting"

const live = { every: 30_000, on: "ctx.*.drift.>" }

export default function QueueView() {
  const [tab, setTab] = useState("waiting")
  const queue = useOp<unknown>("drift_queue", {}, live)
  const dead = useOp<unknown>("drift_dead_letters", {}, live)
  // What is held here is of other kernels, and stands in the inbox.
  const waiting = useMemo(() => itemsFrom(queue.data).filter(i => i.state !== "held"), [queue.data])
  const letters = useMemo(() => itemsFrom(dead.data), [dead.data])
  const reload = () => {
    queue.reload()
    dead.reload()
  }
  return (
    <div className={css.view}>
      <div className={css.column}>
        <header className={css.title}>
          <h1>Queue</h1>
        </header>
        <Tabs
          label="Queue"
          value={tab}
          onChange={setTab}
          tabs={[
            { id: "waiting", title: "Waiting", count: waiting.length, content: <Waiting items={waiting} state={queue} onChange={reload} /> },
            { id: "dead", title: "Dead letters", count: letters.length, content: <DeadLetters items={letters} state={dead} onChange={reload} /> },
            { id: "delivered", title: "Delivered", content: <Delivered /> },
          ]}
        />
      </div>
    </div>
  )
}

export { QueueView }
