// The views, each loaded when it is first shown.

import { isValidAutomergeUrl } from "@automerge/automerge-repo/slim"
import { lazy } from "react"
import type { Route } from "../core/route"
import { ContextPage, Mistaken } from "./ContextPage"
import { Home } from "./Home"

const InboxView = lazy(() => import("../drift/InboxView"))
const QueueView = lazy(() => import("../drift/QueueView"))
const GraphView = lazy(() => import("../drift/GraphView"))
const GitView = lazy(() => import("../git/GitView"))
const StatusView = lazy(() => import("../status/StatusView"))
const RequestsView = lazy(() => import("../status/RequestsView"))
const HistoryView = lazy(() => import("../time/HistoryView"))
export const CitationDialog = lazy(() => import("../drift/CitationDialog"))

/** What is called how when it breaks. */
export const nameOfView: Record<Route["view"], string> = {
  home: "The first page",
  context: "This context",
  cite: "The citation",
  history: "The history",
  graph: "The drift graph",
  inbox: "The inbox",
  queue: "The queue",
  git: "Git",
  status: "The status",
  requests: "The list of requests",
}

/** The view of an address. */
export function View({ route }: { route: Route }) {
  switch (route.view) {
    case "context":
      return <ContextPage key={route.url} url={route.url} block={route.block} />
    case "history":
      return isValidAutomergeUrl(route.url) ? <HistoryView key={route.url} url={route.url} at={route.at} to={route.to} /> : <Mistaken />
    case "inbox":
      return <InboxView />
    case "queue":
      return <QueueView />
    case "graph":
      return <GraphView />
    case "git":
      return <GitView />
    case "status":
      return <StatusView />
    case "requests":
      return <RequestsView />
    case "cite": // it lies over what was shown before it; opened first, over nothing
    case "home":
      return <Home />
  }
}
