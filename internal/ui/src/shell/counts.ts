// How much waits for somebody, for the badges.

import { useContexts } from "../drift/contexts"
import { useRequests } from "../status/useRequests"

export interface Counts {
  /** Drifts that came and that this person has not read. */
  inbox: number
  /** Drifts that wait to be delivered. */
  queue: number
  /** Questions and consents to answer. */
  requests: number
}

export function useCounts(): Counts {
  const { unread, targets } = useContexts()
  return { inbox: unread, queue: targets.reduce((sum, t) => sum + (t.staged ?? 0), 0), requests: useRequests().count }
}
