import { useSyncExternalStore } from "react"
import { requests, type Requests } from "./requests"

/** What waits for this person's answer; `count` is what they may answer. */
export function useRequests(): Requests & { count: number; reload(): void } {
  const now = useSyncExternalStore(requests.subscribe, requests.get, requests.get)
  return { ...now, count: now.questions.filter(q => q.answerable).length + now.held.length, reload: requests.refresh }
}
