// What the parts of one open context share.

import { createContext, useCallback, useContext, useSyncExternalStore } from "react"
import type { ContextModel } from "../core/model"
import type { Seat } from "../presence/seat"
import type { Actions } from "./actions"
import type { Rights } from "./rights"
import type { ViewState } from "./view-state"

export interface Doc {
  readonly model: ContextModel
  readonly state: ViewState
  readonly act: Actions
  readonly seats: SeatsAt
  /** What one may do here. */
  readonly rights: Rights
  /** Puts the keyboard into the composer at the end. */
  composer(): void
}

/** Who is at which block; rows listen to their own block only. */
export interface SeatsAt {
  at(id: string): readonly Seat[]
  subscribe(id: string, fn: () => void): () => void
}

export const DocContext = createContext<Doc | null>(null)

export function useDoc(): Doc {
  const doc = useContext(DocContext)
  if (!doc) throw new Error("a part of a context is used outside of ContextView")
  return doc
}

/** What the view remembers of one block, as `read` gives it: a plain value. */
export function useRowState<T extends string | number | boolean | null>(id: string, read: (state: ViewState) => T): T {
  const { state } = useDoc()
  return useSyncExternalStore(
    useCallback(fn => state.subscribe(id, fn), [state, id]),
    () => read(state),
  )
}

/** Who else is at a block. */
export function useSeatsAt(id: string): readonly Seat[] {
  const { seats } = useDoc()
  return useSyncExternalStore(
    useCallback(fn => seats.subscribe(id, fn), [seats, id]),
    () => seats.at(id),
  )
}
