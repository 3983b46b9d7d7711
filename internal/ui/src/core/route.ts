// Addresses of the page: what stands behind the "#".

import { useSyncExternalStore } from "react"

export type Route =
  | { view: "home" }
  | { view: "context"; url: string; block?: string }
  | { view: "cite"; handle: string }
  | { view: "history"; url: string; at?: string; to?: string }
  | { view: "graph" }
  | { view: "inbox" }
  | { view: "queue" }
  | { view: "git"; mount?: string }
  | { view: "status" }
  | { view: "requests" }

export function parse(_hash: string): Route {
  return { view: "home" }
}

export function format(_route: Route): string {
  return "#/"
}

export function go(route: Route): void {
  location.hash = format(route)
}

export function useRoute(): Route {
  return useSyncExternalStore(
    () => () => {},
    () => home,
  )
}

const home: Route = { view: "home" }
