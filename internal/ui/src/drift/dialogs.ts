// Which of the dialogs of drift is open. Anybody opens one; <DriftDialogs> shows it.

import { useSyncExternalStore } from "react"
import type { ContextModel } from "../core/model"

export type Opened = { kind: "push"; model: ContextModel; ids: readonly string[] } | { kind: "pull" | "merge"; model: ContextModel } | null

let opened: Opened = null
const listeners = new Set<() => void>()

function set(next: Opened): void {
  opened = next
  for (const fn of listeners) fn()
}

export const openPush = (what: { model: ContextModel; ids?: readonly string[] }) => set({ kind: "push", model: what.model, ids: what.ids ?? [] })
export const openPull = ({ model }: { model: ContextModel }) => set({ kind: "pull", model })
export const openMerge = ({ model }: { model: ContextModel }) => set({ kind: "merge", model })
export const closeDialog = () => set(null)

function subscribe(fn: () => void): () => void {
  listeners.add(fn)
  return () => listeners.delete(fn)
}

export const useOpened = (): Opened => useSyncExternalStore(subscribe, () => opened, () => null)
