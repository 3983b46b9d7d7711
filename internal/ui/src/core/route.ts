// Addresses of the page: what stands behind the "#".

import { useSyncExternalStore } from "react"
import { citeAddress, decoded, handleIn } from "./handle"

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

const plain = ["graph", "inbox", "queue", "status", "requests"] as const

/** Reads an address, with its "#" or without. What is no address of a view is read as a context's, which then says that it is none. */
export function parse(hash: string): Route {
  const address = hash.replace(/^#/, "")
  if (address === "" || address === "/") return { view: "home" }
  const handle = handleIn(address)
  if (handle !== null) return { view: "cite", handle }
  if (!address.startsWith("/")) return contextAt(decoded(address))
  const [path = "", query = ""] = cut(address.slice(1), "?")
  const [view = "", rest = ""] = cut(path, "/")
  const simple = plain.find(name => name === view)
  if (simple && rest === "") return { view: simple }
  if (view === "git") return rest === "" ? { view } : { view, mount: decoded(rest) }
  if (view === "history" && rest !== "") {
    const asked = new URLSearchParams(query)
    return { view, url: decoded(rest), ...given("at", asked.get("at")), ...given("to", asked.get("to")) }
  }
  return { view: "context", url: decoded(address) }
}

const contextAt = (address: string): Route => {
  const [url = "", block = ""] = cut(address, "/")
  return { view: "context", url, ...given("block", block) }
}

const given = <Key extends string>(key: Key, value: string | null) => (value ? ({ [key]: value } as { [K in Key]: string }) : {})

const cut = (text: string, at: string): [string, string] => {
  const n = text.indexOf(at)
  return n < 0 ? [text, ""] : [text.slice(0, n), text.slice(n + 1)]
}

/** The address of a view, from its "#" on. */
export function format(route: Route): string {
  switch (route.view) {
    case "home":
      return "#/"
    case "context":
      return "#" + encodeURI(route.url) + (route.block ? "/" + encodeURIComponent(route.block) : "")
    case "cite":
      return citeAddress(route.handle)
    case "history": {
      const asked = new URLSearchParams({ ...given("at", route.at ?? null), ...given("to", route.to ?? null) }).toString().replaceAll("%2C", ",")
      return `#/history/${encodeURI(route.url)}${asked && "?" + asked}`
    }
    case "git":
      return "#/git" + (route.mount ? "/" + encodeURI(route.mount).replaceAll("#", "%23").replaceAll("?", "%3F") : "")
    default:
      return "#/" + route.view
  }
}

/** Shows another view; `replace` leaves no step to go back to. */
export function go(route: Route, { replace = false } = {}): void {
  if (!replace) location.hash = format(route)
  else {
    history.replaceState(history.state, "", format(route))
    heard()
  }
}

let shown: { hash: string; route: Route } = { hash: "", route: { view: "home" } }
const listeners = new Set<() => void>()

/** The view that is shown: the same object as long as the address is the same. */
export function current(): Route {
  const { hash } = location
  if (hash !== shown.hash) shown = { hash, route: parse(hash) }
  return shown.route
}

function heard(): void {
  for (const fn of [...listeners]) fn()
}

/** Calls `fn` when another view is shown. */
export function onRoute(fn: () => void): () => void {
  if (listeners.size === 0) for (const name of ["hashchange", "popstate"]) window.addEventListener(name, heard)
  listeners.add(fn)
  return () => {
    listeners.delete(fn)
    if (listeners.size === 0) for (const name of ["hashchange", "popstate"]) window.removeEventListener(name, heard)
  }
}

export const useRoute = (): Route => useSyncExternalStore(onRoute, current)
