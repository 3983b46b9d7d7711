// Opening a context: its first rows as the server lists them, until the
// document itself is there.

import type { Link } from "./link"
import type { ContextModel } from "./model"

/** A block as the server lists it, until the document is there. */
export interface Preview {
  readonly id: string
  readonly depth: number
  readonly kind: string
  readonly role: string
  readonly status: string
  readonly author: string
  readonly content: string
}

export interface Opened {
  readonly state: "loading" | "ready" | "unavailable" | "notcontext"
  /** The first blocks while the document comes; null when there is none to show. */
  readonly preview: readonly Preview[] | null
  readonly model: ContextModel | null
  subscribe(fn: () => void): () => void
  close(): void
}

/** Opens the document at an address as a context. */
export function openContext(_link: Link, _url: string): Opened {
  return { state: "loading", preview: null, model: null, subscribe: () => () => {}, close: () => {} }
}
