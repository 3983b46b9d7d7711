// The drifts that wait, by the context that they come from: a flush takes all
// of one context.

import { Send } from "lucide-react"
import { useState } from "react"
import type { OpState } from "../core/hooks"
import { op } from "../core/ops"
import { Button, Count, Empty, ProgressBar } from "../parts"
import { contexts } from "./contexts"
import { Flushes, type Outcome } from "./Flushes"
import { bySource, flushedFrom, type Item } from "./items"
import { keyOf, nameOf, type Place } from "./place"
import { PlaceLink } from "./PlaceLink"
import { QueueItem } from "./QueueItem"
import { Trouble } from "./Trouble"
import { problemOf } from "./useDeed"
import css from "./Views.module.css"

interface Props {
  items: readonly Item[]
  state: OpState<unknown>
  onChange(): void
}

export function Waiting({ items, state, onChange }: Props) {
  const [progress, setProgress] = useState<{ done: number; of: number } | null>(null)
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([])
  const groups = bySource(items)

  const flush = async (places: readonly Place[]) => {
    if (progress) return
    const told: Outcome[] = []
    for (const [n, place] of places.entries()) {
      setProgress({ done: n, of: places.length })
      try {
        told.push({ place, flushed: flushedFrom(await op<unknown>("drift_flush", { context: place.id })), problem: "" })
      } catch (err) {
        told.push({ place, flushed: null, problem: problemOf(err).text })
      }
      setOutcomes([...told])
    }
    setProgress(null)
    contexts.refresh()
    onChange()
  }

  return (
    <div className={css.panel}>
      <Trouble state={state} what="the queue" />
      {progress && <ProgressBar label={`Delivering: ${progress.done} of ${progress.of} contexts`} value={progress.of > 1 ? progress.done : undefined} max={progress.of} />}
      <Flushes outcomes={outcomes} onClose={() => setOutcomes([])} />
      {state.data !== undefined && items.length === 0 && (
        <Empty icon={<Send aria-hidden />} title="Nothing is waiting">
          What is pushed to be delivered later stands here until its context is flushed.
        </Empty>
      )}
      {groups.length > 1 && (
        <div className={css.buttons}>
          <Button variant="primary" icon={<Send aria-hidden />} busy={progress !== null} onClick={() => void flush(groups.map(g => g.place))}>
            Deliver all
          </Button>
        </div>
      )}
      {groups.map(({ place, items }) => (
        <section key={keyOf(place)} aria-label={`From ${nameOf(place)}`}>
          <div className={css.group}>
            <h2>
              From <PlaceLink place={place} />
            </h2>
            <Count n={items.length} of="waiting" />
            <span className={css.end}>
              <Button size="s" variant={groups.length > 1 ? "plain" : "primary"} icon={<Send aria-hidden />} disabled={progress !== null || place.id === ""} onClick={() => void flush([place])}>
                Deliver now
              </Button>
            </span>
          </div>
          <ul className={css.cards}>
            {items.map(item => (
              <QueueItem key={item.drift} item={item} onChange={onChange} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}
