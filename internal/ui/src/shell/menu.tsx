import { Archive, ArchiveRestore, GitFork, History, Link2, Pencil, Tag, Trash2 } from "lucide-react"
import { go } from "../core/route"
import type { MenuItem } from "../parts"
import { archiveContext, copyText, deleteContext, linkTo } from "./actions"
import { openDialog } from "./opened"
import type { ContextRow } from "./rows"

/** What the menu of a context offers. `shown` says that it is the one in sight. */
export function itemsOf(row: ContextRow, shown: boolean): MenuItem[] {
  return [
    { label: "Rename…", icon: <Pencil />, run: () => openDialog({ dialog: "rename", row }) },
    { label: row.label ? "Change label…" : "Label…", icon: <Tag />, run: () => openDialog({ dialog: "label", row }) },
    { label: "Fork…", icon: <GitFork />, run: () => openDialog({ dialog: "fork", row }) },
    { label: "History", icon: <History />, run: () => go({ view: "history", url: row.url }) },
    "-",
    { label: "Copy link", icon: <Link2 />, run: () => void copyText(linkTo(row), "The link is copied.") },
    "-",
    row.archived
      ? { label: "Bring back", icon: <ArchiveRestore />, run: () => void archiveContext(row, false) }
      : { label: "Archive", icon: <Archive />, run: () => void archiveContext(row, true) },
    { label: "Delete for good…", icon: <Trash2 />, danger: true, run: () => void deleteContext(row, shown) },
  ]
}
