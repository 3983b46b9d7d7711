// What the shell can do, for the palette and the keys.

import type { Command } from "../core/commands"
import { format, go, type Route } from "../core/route"
import { theme, type Theme } from "../parts"
import { archiveContext, copyText, deleteContext, linkTo } from "./actions"
import { contextList } from "./contextlist"
import { openDialog } from "./opened"
import { places } from "./Places"
import type { ContextRow } from "./rows"
import { searchId } from "./Search"

const themes: Record<Theme, string> = { auto: "like the system", light: "light", dark: "dark" }

/** The commands that are always there. */
export function shellCommands(toggleList: () => void, openList: () => void): Command[] {
  return [
    { id: "palette", title: "Command palette", group: "Page", keys: "Mod+K", run: () => openDialog({ dialog: "palette" }) },
    { id: "search", title: "Search titles and texts", group: "Page", keys: "/", run: () => search(openList) },
    { id: "keys", title: "Keyboard", group: "Page", keys: "?", run: () => openDialog({ dialog: "keys" }) },
    { id: "list", title: "Show or hide the list", group: "Page", keys: "Mod+\\", run: toggleList },
    { id: "context.new", title: "New context", group: "Make", run: () => openDialog({ dialog: "create" }) },
    { id: "home", title: "First page", group: "Go to", run: () => go({ view: "home" }) },
    ...places.map(({ route, title }): Command => ({ id: `go.${route.view}`, title, group: "Go to", run: () => go(route) })),
    { id: "settings", title: "Settings", group: "Page", run: () => openDialog({ dialog: "settings" }) },
    ...(Object.keys(themes) as Theme[]).map((t): Command => ({ id: `theme.${t}`, title: `Theme: ${themes[t]}`, group: "Page", run: () => theme.set(t), enabled: () => theme.get() !== t })),
    { id: "signout", title: "Sign out", group: "Page", run: () => openDialog({ dialog: "signout" }) },
  ]
}

/** The commands of the context that is shown. */
export function contextCommands(route: Route): Command[] {
  if (route.view !== "context" && route.view !== "history") return []
  const row = (): ContextRow | undefined => contextList.get().rows.find(r => r.url === route.url)
  const on = (run: (row: ContextRow) => void) => ({ run: () => void (row() && run(row()!)), enabled: () => row() !== undefined })
  const group = "This context"
  return [
    { id: "context.rename", title: "Rename", group, ...on(row => openDialog({ dialog: "rename", row })) },
    { id: "context.label", title: "Change its label", group, ...on(row => openDialog({ dialog: "label", row })) },
    { id: "context.fork", title: "Fork", group, ...on(row => openDialog({ dialog: "fork", row })) },
    { id: "context.history", title: "History", group, run: () => (location.hash = format({ view: "history", url: route.url })), enabled: () => route.view !== "history" },
    { id: "context.back", title: "Back to the document", group, run: () => go({ view: "context", url: route.url }), enabled: () => route.view === "history" },
    { id: "context.link", title: "Copy link", group, ...on(row => void copyText(linkTo(row), "The link is copied.")) },
    { id: "context.archive", title: "Archive, or bring back", group, ...on(row => void archiveContext(row, !row.archived)) },
    { id: "context.delete", title: "Delete for good", group, ...on(row => void deleteContext(row, true)) },
  ]
}

/** Puts the caret into the search field, once it is there to see. */
function search(openList: () => void): void {
  openList()
  requestAnimationFrame(() => {
    const field = document.getElementById(searchId)
    if (field instanceof HTMLInputElement) {
      field.focus()
      field.select()
    }
  })
}
