// What can be done to a context as a whole.

import { go } from "../core/route"
import { op } from "../core/ops"
import { ask, toast } from "../parts"
import { contextList } from "./contextlist"
import { documentOf, nameOf, rowFrom, type ContextRow } from "./rows"

/** Runs what may be refused; says why when it is. Resolves to whether it was done. */
export async function attempt(what: () => Promise<unknown>): Promise<boolean> {
  try {
    await what()
    contextList.refresh()
    return true
  } catch (err) {
    toast({ text: why(err), kind: "error" })
    return false
  }
}

/** Why something was not done, in the server's words. */
export const why = (err: unknown): string => (err instanceof Error ? err.message : String(err))

export async function createContext(title: string, label: string): Promise<void> {
  const row = rowFrom(await op("context_create", { title, ...(label ? { label } : {}) }))
  await contextList.reload()
  if (row) go({ view: "context", url: row.url })
}

export async function forkContext(row: ContextRow, title: string, label: string): Promise<void> {
  const fork = rowFrom(await op("context_fork", { context: row.id, ...(title ? { title } : {}), ...(label ? { label } : {}) }))
  await contextList.reload()
  if (fork) go({ view: "context", url: fork.url })
}

export async function renameContext(row: ContextRow, title: string): Promise<void> {
  await op("context_rename", { context: row.id, title })
  contextList.retitle(row.url, title)
  contextList.refresh()
}

export async function labelContext(row: ContextRow, label: string): Promise<void> {
  await op("context_label", { context: row.id, label })
  contextList.refresh()
}

/** Archives a context, or brings it back; what was done can be taken back at once. */
export async function archiveContext(row: ContextRow, archived: boolean): Promise<void> {
  const done = await attempt(() => op("context_archive", { context: row.id, archived }))
  if (!done) return
  toast({ text: archived ? `“${nameOf(row)}” is archived.` : `“${nameOf(row)}” is back.`, kind: "ok", action: { label: "Undo", run: () => void attempt(() => op("context_archive", { context: row.id, archived: !archived })) } })
}

/** The documents that were deleted from here: that the server says so is no news. */
export const deletedHere = new Set<string>()

/** Deletes a context for good, after asking. */
export async function deleteContext(row: ContextRow, shown: boolean): Promise<void> {
  const yes = await ask({ title: `Delete “${nameOf(row)}” for good?`, text: "Its blocks and their history go, for everybody. Forks of it stay whole. This cannot be undone; archiving can.", verb: "Delete for good", danger: true })
  if (!yes) return
  deletedHere.add(documentOf(row.url))
  const done = await attempt(() => op("context_delete", { context: row.id, force: true }))
  if (!done) deletedHere.delete(documentOf(row.url))
  else if (shown) go({ view: "home" })
}

export async function copyText(text: string, said: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    toast({ text: said, kind: "ok" })
  } catch {
    toast({ text: "The browser does not let the page write to the clipboard.", kind: "error" })
  }
}

/** The address under which others open a context in their browser. */
export const linkTo = (row: Pick<ContextRow, "url">): string => `${location.origin}/#${row.url}`
