import { useMemo, useState } from "react"
import { useOp } from "../core/hooks"
import { op } from "../core/ops"
import { Button, toast } from "../parts"
import { DiffView } from "../parts/diff/DiffView"
import type { Changed, Mount } from "./answers"
import { placesIn } from "./conflicts"
import { useDeed, wordsOf } from "./deeds"
import styles from "./git.module.css"

const choices = [
  { take: "block", label: "Take the block", tip: "What is written here counts; the file on the disk is overwritten." },
  { take: "disk", label: "Take the disk", tip: "What the file says counts; the block follows." },
  { take: "merged", label: "Take both", tip: "With git's conflict marks where they contradict each other, to be settled by hand." },
] as const

interface Listed {
  blocks?: unknown
}

/** A file whose block and disk contradict each other: both sides, and which counts. */
export function ConflictPanel({ mount, file, context, onDone }: { mount: Mount; file: Changed; context: string; onDone(): void }) {
  const listed = useOp<Listed>(context && file.block ? "block_list" : null, { context, parent_id: file.block, kind: "error" })
  const notice = firstID(listed.data?.blocks)
  const read = useOp<{ content?: unknown }>(notice ? "block_read" : null, { context, block_id: notice, line_numbers: false })
  const places = useMemo(() => (typeof read.data?.content === "string" ? placesIn(read.data.content) : []), [read.data])
  const { busy, error, run } = useDeed()
  const [taken, setTaken] = useState("")
  const resolve = (take: string) => {
    setTaken(take)
    return run(async () => {
      await op("fs_resolve", { path: `${mount.path}/${file.path}`, take })
      toast({ kind: "ok", text: `${file.path}: ${take === "merged" ? "both are in it, with marks" : `what the ${take} says counts`}` })
      onDone()
    })
  }
  return (
    <div className={styles.conflict}>
      <p>
        The block and the file on the disk were both changed, at the same lines. Nothing is overwritten until somebody says which counts, or both say the same.
      </p>
      <div className={styles.row}>
        {choices.map(c => (
          <Button key={c.take} title={c.tip} disabled={!mount.rw} busy={busy && taken === c.take} onClick={() => void resolve(c.take)}>
            {c.label}
          </Button>
        ))}
      </div>
      {error && <p className={styles.error} role="alert">{wordsOf(error)}</p>}
      {places.map((p, n) => (
        <figure key={n} className={styles.place}>
          <figcaption>
            Place {n + 1} of {places.length}: <del>disk</del> against <ins>block</ins>
          </figcaption>
          <DiffView before={p.disk} after={p.block} mode="inline" label={`Place ${n + 1}`} />
        </figure>
      ))}
      {read.data !== undefined && places.length === 0 && typeof read.data.content === "string" && <pre className={styles.notice}>{read.data.content.slice(0, 20_000)}</pre>}
      {!notice && listed.data !== undefined && <p className={styles.faint}>Two branches contradict each other here, or git is at work: settle it in the worktree.</p>}
    </div>
  )
}

function firstID(blocks: unknown): string {
  if (!Array.isArray(blocks)) return ""
  const [first] = blocks as { id?: unknown }[]
  return typeof first?.id === "string" ? first.id : ""
}
