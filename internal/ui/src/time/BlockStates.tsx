// All states of a block: who changed it when, and what each change did to its
// text.

import { useEffect, useState } from "react"
import { colourOf } from "../core/actors"
import { op, Refused } from "../core/ops"
import { Avatar, Button, Dialog, Empty, Spinner } from "../parts"
import { DiffView } from "../parts/diff/DiffView"
import styles from "./BlockStates.module.css"
import { list, record, text } from "./points"
import { foldStates, type BlockState } from "./states"
import { nameOf, plural, say, whenExactly } from "./words"

export interface BlockStatesProps {
  context: string
  id: string
  onClose(): void
  /** Goes to a state in the history of the context; absent: that is not offered. */
  onMoment?(version: number): void
}

/** How many changes are fetched. */
const limit = 2000

export function BlockStates({ context, id, onClose, onMoment }: BlockStatesProps) {
  const [got, setGot] = useState<{ states: readonly BlockState[]; more: boolean } | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const [open, setOpen] = useState(0)
  useEffect(() => {
    const stop = new AbortController()
    op<unknown>("block_history", { context, block_id: id, limit }, { signal: stop.signal }).then(
      answer => setGot({ states: foldStates(list(record(answer).entries)), more: text(record(answer).next) !== "" }),
      (e: Error) => !stop.signal.aborted && setError(e),
    )
    return () => stop.abort()
  }, [context, id])
  const states = got?.states ?? []
  return (
    <Dialog title="States of this block" width="l" onClose={onClose}>
      {error ? (
        <Empty title="The history of the block cannot be shown">{say(error)}</Empty>
      ) : !got ? (
        <Spinner label="Loading" />
      ) : states.length === 0 ? (
        <Empty title="No state is known" />
      ) : (
        <ol className={styles.list}>
          {states.map((s, n) => (
            <li key={s.version}>
              <button type="button" className={styles.state} aria-expanded={open === n} onClick={() => setOpen(open === n ? -1 : n)}>
                <Avatar name={s.author} hue={colourOf(s.author)} size={20} label="" />
                <strong>{nameOf(s.author)}</strong>
                <span className={styles.how}>{s.how.join(", ")}{s.changes > 1 && ` · ${plural(s.changes, "change")}`}</span>
                <time dateTime={new Date(s.time).toISOString()}>{whenExactly(s.time)}</time>
              </button>
              {open === n && <StateDiff context={context} id={id} before={s.before} version={s.version} onMoment={onMoment} />}
            </li>
          ))}
        </ol>
      )}
      {got?.more && <p className={styles.how}>Only the newest {limit.toLocaleString("en")} changes are listed.</p>}
    </Dialog>
  )
}

/** What a block said at a version; "" when it was not there. */
async function contentAt(context: string, id: string, version: number, signal: AbortSignal): Promise<string> {
  if (version === 0) return ""
  try {
    return text(record(await op<unknown>("block_read", { context, block_id: id, at: String(version), line_numbers: false }, { signal })).content)
  } catch (error) {
    if (error instanceof Refused && error.kind === "not_found") return ""
    throw error
  }
}

function StateDiff({ context, id, before, version, onMoment }: { context: string; id: string; before: number; version: number; onMoment?: ((version: number) => void) | undefined }) {
  const [texts, setTexts] = useState<{ before: string; after: string } | null>(null)
  const [error, setError] = useState<Error | null>(null)
  useEffect(() => {
    const stop = new AbortController()
    Promise.all([contentAt(context, id, before, stop.signal), contentAt(context, id, version, stop.signal)]).then(
      ([a, b]) => !stop.signal.aborted && setTexts({ before: a, after: b }),
      (e: Error) => !stop.signal.aborted && setError(e),
    )
    return () => stop.abort()
  }, [context, id, before, version])
  return (
    <div className={styles.diff}>
      {error ? <p>{say(error)}</p> : texts ? <DiffView {...texts} label="What this state changed" /> : <Spinner label="Loading this state" />}
      {onMoment && <Button size="s" variant="ghost" onClick={() => onMoment(version)}>Show the context as it was then</Button>}
    </div>
  )
}
