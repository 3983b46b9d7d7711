// The context that is in sight, for what stands around it.

import { useSyncExternalStore } from "react"
import type { ContextModel } from "../core/model"

let shown: ContextModel | null = null
const listeners = new Set<() => void>()

export function setShown(model: ContextModel | null): void {
  shown = model
  for (const fn of listeners) fn()
}

export const shownModel = (): ContextModel | null => shown

export const useShown = (): ContextModel | null =>
  useSyncExternalStore(
    fn => {
      listeners.add(fn)
      return () => listeners.delete(fn)
    },
    shownModel,
    () => null,
  )
