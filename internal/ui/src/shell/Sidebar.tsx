import { Archive, ArrowLeft, Plus, Settings, X } from "lucide-react"
import { useMemo, useState } from "react"
import { useLink, useMe } from "../core/hooks"
import type { Route } from "../core/route"
import { useUnread } from "../drift/useUnread"
import { Button, IconButton, preference, usePreference } from "../parts"
import { useContextList } from "./contextlist"
import { openDialog } from "./opened"
import { useHeld } from "./held"
import { Logo } from "./Logo"
import { Places } from "./Places"
import { SearchBox, SearchResults } from "./Search"
import styles from "./Sidebar.module.css"
import { Tree } from "./Tree"

const archivedShown = preference("kj.archived", false, (v): v is boolean => typeof v === "boolean")

/** What there is: the places of the kernel, and its contexts. `onClose` is there when it lies over the page. */
export function Sidebar({ route, onClose }: { route: Route; onClose?: () => void }) {
  const { rows, refused, fresh } = useContextList()
  const link = useLink()
  const me = useMe()
  const unread = useUnread()
  const held = useHeld(link.connected)
  const [query, setQuery] = useState("")
  const [archived, setArchived] = usePreference(archivedShown)
  const current = route.view === "context" || route.view === "history" ? route.url : ""
  const shown = useMemo(() => rows.filter(r => archived || !r.archived || r.url === current), [rows, archived, current])
  const hidden = rows.reduce((sum, r) => sum + (r.archived ? 1 : 0), 0)
  return (
    <div className={styles.sidebar}>
      <div className={styles.brand}>
        <a href="#/" aria-label="Kaijutsu, home">
          <Logo />
          <span>Kaijutsu</span>
        </a>
        {me?.kernel && me.kernel !== "main" && <span className={styles.kernel}>{me.kernel}</span>}
        <IconButton label="Settings" icon={<Settings />} onClick={() => openDialog({ dialog: "settings" })} />
        {onClose && <IconButton label="Close the list" icon={<X />} noTip onClick={onClose} />}
      </div>
      <SearchBox query={query} onQuery={setQuery} />
      {query.trim() !== "" ? (
        <>
          <Button variant="ghost" size="s" className={styles.back} icon={<ArrowLeft />} onClick={() => setQuery("")}>
            All contexts
          </Button>
          <SearchResults query={query} rows={shown} />
        </>
      ) : (
        <div className={styles.scroll}>
          <Places at={route} />
          <nav aria-label="Contexts">
            <div className={styles.heading}>
              <h2>Contexts</h2>
              {hidden > 0 && <IconButton label={archived ? "Hide archived contexts" : `Show archived contexts (${hidden})`} size="s" pressed={archived} icon={<Archive />} onClick={() => setArchived(!archived)} />}
              <IconButton label="New context" size="s" icon={<Plus />} onClick={() => openDialog({ dialog: "create" })} />
            </div>
            {refused && <p className={styles.note} role="status">{refused}</p>}
            {shown.length === 0 && fresh && <p className={styles.note}>There is none yet.</p>}
            <Tree rows={shown} current={current} unread={unread.of} held={held} />
          </nav>
        </div>
      )}
    </div>
  )
}
