import { Activity, GitBranch, Hand, Inbox, ListChecks, Waypoints, type LucideIcon } from "lucide-react"
import { format, type Route } from "../core/route"
import { Count, cx } from "../parts"
import { useCounts, type Counts } from "./counts"
import styles from "./Sidebar.module.css"

interface Place {
  route: Route
  title: string
  icon: LucideIcon
  count?: keyof Counts
  of?: string
}

/** The views that are of no context. */
export const places: readonly Place[] = [
  { route: { view: "inbox" }, title: "Inbox", icon: Inbox, count: "inbox", of: "unread" },
  { route: { view: "queue" }, title: "Queue", icon: ListChecks, count: "queue", of: "waiting" },
  { route: { view: "requests" }, title: "Requests", icon: Hand, count: "requests", of: "to answer" },
  { route: { view: "graph" }, title: "Drift graph", icon: Waypoints },
  { route: { view: "git" }, title: "Git", icon: GitBranch },
  { route: { view: "status" }, title: "Status", icon: Activity },
]

export function Places({ at: route }: { at: Route }) {
  const counts = useCounts()
  return (
    <nav aria-label="Kernel">
      <ul className={styles.places}>
        {places.map(({ route: to, title, icon: Icon, count, of }) => (
          <li key={title}>
            <a href={format(to)} className={cx(styles.place, route.view === to.view && styles.shown)} aria-current={route.view === to.view ? "page" : undefined}>
              <Icon aria-hidden />
              <span className={styles.name}>{title}</span>
              {count && <Count n={counts[count]} of={of ?? ""} tone={count === "queue" ? "plain" : "accent"} />}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
