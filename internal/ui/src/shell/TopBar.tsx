import { ChevronRight, Ellipsis, History, PanelLeft, Search } from "lucide-react"
import { useState } from "react"
import { useTitle } from "../core/hooks"
import type { ContextModel } from "../core/model"
import { format, type Route } from "../core/route"
import { Seats } from "../presence/Seats"
import { IconButton, Menu } from "../parts"
import { useContextList } from "./contextlist"
import { openDialog } from "./opened"
import { ErrorBoundary } from "./ErrorBoundary"
import { itemsOf } from "./menu"
import { ancestors, nameOf, type ContextRow } from "./rows"
import { SavedLight } from "./SavedLight"
import { useShown } from "./shown"
import styles from "./TopBar.module.css"

const titles: Partial<Record<Route["view"], string>> = { home: "Kaijutsu", inbox: "Inbox", queue: "Queue", graph: "Drift graph", git: "Git", status: "Status", requests: "Requests" }

/** What is shown, who is there, and whether it is saved. */
export function TopBar({ route, listShown, onList, unread }: { route: Route; listShown: boolean; onList(): void; unread: number }) {
  const model = useShown()
  const { rows } = useContextList()
  const url = route.view === "context" || route.view === "history" ? route.url : ""
  const row = rows.find(r => r.url === url)
  const label = listShown ? "Hide the list" : unread > 0 ? `Contexts, ${unread} unread` : "Contexts"
  return (
    <header className={styles.bar}>
      <IconButton id="list-button" label={label} keys="Mod+\" icon={<PanelLeft />} aria-expanded={listShown} data-unread={unread > 0 && !listShown ? unread : undefined} className={styles.list} onClick={onList} />
      <div className={styles.where}>
        {row && <Above row={row} rows={rows} />}
        <span className={styles.title} title={row ? nameOf(row) : undefined}>
          {model && route.view === "context" ? <LiveTitle model={model} /> : row ? nameOf(row) : (titles[route.view] ?? "Document")}
        </span>
        {route.view === "history" && <span className={styles.view}>History</span>}
      </div>
      <div className={styles.gap} />
      {model && (
        <ErrorBoundary what="Who is here">
          <Seats model={model} />
        </ErrorBoundary>
      )}
      <SavedLight model={model} />
      <IconButton label="Command palette" keys="Mod+K" icon={<Search />} className={styles.palette} onClick={() => openDialog({ dialog: "palette" })} />
      {(row || model) && route.view === "context" && (
        <a className={styles.history} href={format({ view: "history", url })} aria-label="History" title="History">
          <History aria-hidden />
        </a>
      )}
      {row && <More row={row} />}
    </header>
  )
}

function LiveTitle({ model }: { model: ContextModel }) {
  return useTitle(model).trim() || "Untitled"
}

/** What the context was forked from, as a path to it. */
function Above({ row, rows }: { row: ContextRow; rows: readonly ContextRow[] }) {
  const names = new Map(rows.map(r => [r.id, r]))
  return ancestors(rows, row.id)
    .slice(0, 2)
    .reverse()
    .flatMap(id => names.get(id) ?? [])
    .map(r => (
      <span key={r.id} className={styles.above}>
        <a href={"#" + r.url}>{nameOf(r)}</a>
        <ChevronRight aria-label="forked to" />
      </span>
    ))
}

function More({ row }: { row: ContextRow }) {
  const [open, setOpen] = useState(false)
  return <Menu items={open ? itemsOf(row, true) : []} open={open} onOpenChange={setOpen} label="Menu of this context" trigger={<IconButton label="Menu of this context" noTip icon={<Ellipsis />} />} />
}
