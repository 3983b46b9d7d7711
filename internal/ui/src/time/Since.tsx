// How much happened since somebody was last here.

import { useEffect, useState } from "react"
import { Button, TimeAgo } from "../parts"
import styles from "./HistoryView.module.css"
import { askHistory, grains, type HistoryPage } from "./points"
import type { Seen } from "./seen"
import { nameOf, plural } from "./words"

export function Since({ context, seen, onShow }: { context: string; seen: Seen; onShow(): void }) {
  const [page, setPage] = useState<HistoryPage | null>(null)
  const since = seen.heads.join(",")
  useEffect(() => {
    const stop = new AbortController()
    // A server that does not know these heads says so; then there is nothing to tell.
    askHistory(context, { grain: grains[2]!, since, limit: 1 }, stop.signal).then(p => !stop.signal.aborted && setPage(p), () => {})
    return () => stop.abort()
  }, [context, since])
  if (!page || page.changes === 0) return null
  const names = page.authors.map(a => nameOf(a.author))
  return (
    <p className={styles.note}>
      <span>
        {plural(page.changes, "change")} by {names.slice(0, 3).join(", ")}
        {names.length > 3 && ` and ${names.length - 3} more`} since you were last here, <TimeAgo at={seen.at} />.
      </span>
      <Button size="s" onClick={onShow}>Show them</Button>
    </p>
  )
}
