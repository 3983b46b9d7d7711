// How many drifts came that this person has not read.

import { useContexts } from "./contexts"

export interface Unread {
  total: number
  /** Of one context, by its UUID. */
  of(context: string): number
}

export function useUnread(): Unread {
  const { targets, unread } = useContexts()
  return { total: unread, of: id => targets.find(t => t.id === id)?.unread ?? 0 }
}
