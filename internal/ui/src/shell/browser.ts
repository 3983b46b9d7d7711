// What the browser shows of the page: its title and its theme.

import { useEffect } from "react"
import { useTitle } from "../core/hooks"
import type { ContextModel } from "../core/model"
import type { Route } from "../core/route"
import { useUnread } from "../drift/useUnread"
import { theme, usePreference } from "../parts"
import { useContextList } from "./contextlist"
import { places } from "./Places"
import { nameOf } from "./rows"
import { useShown } from "./shown"

/** Keeps the title of the page; returns how much is unread. */
export function usePageTitle(route: Route): number {
  const unread = useUnread().total
  const { rows } = useContextList()
  const model = useShown()
  const live = useTitle(model ?? untitled)
  const row = "url" in route ? rows.find(r => r.url === route.url) : undefined
  const what = model && route.view === "context" ? nameOf({ title: live }) : "url" in route ? (row ? nameOf(row) : "Document") : places.find(p => p.route.view === route.view)?.title
  useEffect(() => {
    const name = what ? `${what}${route.view === "history" ? " (history)" : ""} · Kaijutsu` : "Kaijutsu"
    document.title = unread > 0 ? `(${unread}) ${name}` : name
  }, [what, route.view, unread])
  return unread
}

/** Stands in where no context is shown: a title that never changes. */
const untitled = { title: "", subscribe: () => () => {} } as unknown as ContextModel

/** Puts the chosen theme on the page. */
export function useTheme(): void {
  const [chosen] = usePreference(theme)
  useEffect(() => {
    if (chosen === "auto") delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = chosen
  }, [chosen])
}
