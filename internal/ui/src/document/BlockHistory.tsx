import { useState } from "react"
import { colourOf } from "../core/actors"
import { useOp } from "../core/hooks"
import { go } from "../core/route"
import { Avatar, Button, Dialog, Spinner, TimeAgo } from "../parts"
import { useDoc } from "./doc-context"
import { say } from "./words"
import css from "./dialogs.module.css"

interface Entry {
  change: string
  time: string
  author: string
  via?: string
  how: string[] | null
}

/** Who changed a block, when and how, the newest first. What was done at one sitting is one line. */
export function BlockHistory({ id, onClose }: { id: string; onClose(): void }) {
  const { model } = useDoc()
  const [limit, setLimit] = useState(200)
  const { data, error, loading } = useOp<{ entries: Entry[] | null; next?: string }>("block_history", { context: model.id, block_id: id, limit })
  const lines = sittings(data?.entries ?? [])
  const buttons = (
    <>
      {data?.next && (
        <Button variant="ghost" busy={loading} onClick={() => setLimit(limit * 5)}>
          Older
        </Button>
      )}
      <Button onClick={() => (onClose(), go({ view: "history", url: model.url }))}>History of the whole context</Button>
    </>
  )
  return (
    <Dialog title="History of this block" onClose={onClose} footer={buttons}>
      {error && <p className={css.error}>{say(error)}</p>}
      {!data && loading && <Spinner />}
      <ol className={css.list}>
        {lines.map(({ entry, changes }) => (
          <li key={entry.change}>
            <Avatar name={entry.author} hue={colourOf(entry.author)} size={20} label="" />
            <span className={css.who}>{entry.author}</span>
            <span className={css.what}>
              {(entry.how ?? []).join(", ") || "changed"}
              {changes > 1 && ` · ${changes} changes`}
              {entry.via && ` · via ${entry.via}`}
            </span>
            <TimeAgo at={entry.time} className={css.when} />
          </li>
        ))}
      </ol>
    </Dialog>
  )
}

/** Takes together what the same author did in the same way within two minutes. */
function sittings(entries: readonly Entry[]): { entry: Entry; changes: number }[] {
  const out: { entry: Entry; changes: number; last: number }[] = []
  for (const entry of entries) {
    const at = Date.parse(entry.time)
    const before = out.at(-1)
    if (before && before.entry.author === entry.author && String(before.entry.how) === String(entry.how) && before.last - at < 120_000) {
      before.changes++
      before.last = at
    } else out.push({ entry, changes: 1, last: at })
  }
  return out
}
