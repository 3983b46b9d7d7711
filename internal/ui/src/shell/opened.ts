// Which of the shell's dialogs is open. One at a time; anybody in the shell opens it.

import { useSyncExternalStore } from "react"
import type { ContextRow } from "./rows"

export type Opened =
  | { dialog: "palette" }
  | { dialog: "keys" }
  | { dialog: "settings" }
  | { dialog: "signout" }
  | { dialog: "create" }
  | { dialog: "rename" | "label" | "fork"; row: ContextRow }

let opened: Opened | null = null
const listeners = new Set<() => void>()

function set(next: Opened | null): void {
  opened = next
  for (const fn of listeners) fn()
}

export const openDialog = (next: Opened): void => set(next)
export const closeDialog = (): void => set(null)

export const useDialog = (): Opened | null =>
  useSyncExternalStore(
    fn => {
      listeners.add(fn)
      return () => listeners.delete(fn)
    },
    () => opened,
    () => null,
  )
