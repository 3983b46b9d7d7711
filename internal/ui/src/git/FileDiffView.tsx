import { useEffect, useMemo, useRef } from "react"
import { useOp } from "../core/hooks"
import { DiffView } from "../parts/diff/DiffView"
import { diffsFrom, type Changed, type Mount } from "./answers"
import { State } from "./State"
import styles from "./git.module.css"

interface Props {
  mount: Mount
  file: Pick<Changed, "path" | "oldPath">
  /** Both ends; left out: the last commit, and what is there now. */
  from?: string
  to?: string
  /** The difference is read anew when this is another. */
  version?: unknown
}

/** What changed in one file. */
export function FileDiffView({ mount, file, from, to, version }: Props) {
  const ends = { ...(from ? { from } : {}), ...(to ? { to } : {}) }
  const asked = useOp<unknown>("git_diff", { mount: mount.path, paths: [`${mount.path}/${file.path}`], ...ends })
  const seen = useRef(version)
  useEffect(() => {
    if (seen.current === version) return
    seen.current = version
    asked.reload()
  }, [version, asked])
  const diffs = useMemo(() => diffsFrom(asked.data), [asked.data])
  const diff = diffs.find(d => d.path === file.path) ?? diffs[0]
  return (
    <State of={asked} what="the difference">
      {!diff ? (
        <p className={styles.faint}>No difference any more.</p>
      ) : diff.binary ? (
        <p className={styles.faint}>This is no text: its difference cannot be shown.</p>
      ) : diff.diff ? (
        <DiffView unified={diff.diff} label={file.path} />
      ) : diff.added + diff.deleted > 0 ? (
        <p className={styles.faint}>Too long to show: {diff.added} lines came, {diff.deleted} went.</p>
      ) : (
        <p className={styles.faint}>Only its name or kind is another.</p>
      )}
    </State>
  )
}
