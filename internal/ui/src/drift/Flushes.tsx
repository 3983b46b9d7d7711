// What flushes came to, in words, and each drift that was not delivered.

import { X } from "lucide-react"
import { cx, IconButton } from "../parts"
import { flushWords, stateWords, type Flushed } from "./items"
import { nameOf, type Place } from "./place"
import css from "./Views.module.css"

export interface Outcome {
  place: Place
  flushed: Flushed | null
  problem: string
}

export function Flushes({ outcomes, onClose }: { outcomes: readonly Outcome[]; onClose(): void }) {
  if (outcomes.length === 0) return null
  return (
    <div className={css.outcomes} role="status">
      <IconButton label="Dismiss" size="s" icon={<X />} noTip onClick={onClose} />
      {outcomes.map(({ place, flushed, problem }, n) => (
        <div key={n} className={cx(css.outcome, (problem || (flushed && flushed.failed + flushed.dead > 0)) && css.bad)}>
          <p>
            <b>{nameOf(place)}</b>: {problem || (flushed ? flushWords(flushed) : "The server's answer cannot be read.")}
          </p>
          {flushed && (
            <ul>
              {flushed.items
                .filter(i => i.state !== "delivered")
                .map(i => (
                  <li key={i.drift}>
                    #{i.number} to {nameOf(i.to)}: {i.error || stateWords(i.state)}
                  </li>
                ))}
            </ul>
          )}
        </div>
      ))}
    </div>
  )
}
