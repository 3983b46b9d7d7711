import { useEffect, useRef, useSyncExternalStore } from "react"
import { useLink } from "../core/hooks"
import { requests, type Requests } from "./requests"

/** What waits for this person's answer; `count` is what they may answer. */
export function useRequests(): Requests & { count: number; reload(): void } {
  const { connected } = useLink()
  const was = useRef(connected)
  useEffect(() => {
    // Without the server nothing can be answered, and that is said at once.
    if (was.current !== connected) requests.refresh()
    was.current = connected
  }, [connected])
  const now = useSyncExternalStore(requests.subscribe, requests.get, requests.get)
  return { ...now, count: now.questions.filter(q => q.answerable).length + now.held.length, reload: requests.refresh }
}
