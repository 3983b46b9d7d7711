// What came along an edge or at a node last.

import { ArrowUpRight } from "lucide-react"
import { useMemo } from "react"
import { Badge, TimeAgo } from "../parts"
import { many, plainLine } from "./check"
import { titleOf } from "./drawing"
import css from "./Graph.module.css"
import type { At } from "./GraphCanvas"
import { newestAt, trafficOf, type Graph } from "./graph"
import type { Letter } from "./letters"
import { hrefOf, nameOf } from "./place"

export function GraphPanel({ at, graph, letters }: { at: NonNullable<At>; graph: Graph; letters: readonly Letter[] }) {
  const key = "edge" in at ? at.edge : at.node
  const about = useMemo(() => aboutOf(at, graph, letters), [key, graph, letters])
  if (!about) return null
  return (
    <aside className={css.panel} aria-live="off" aria-label="What is selected">
      <header>
        <b>{about.title}</b>
        {about.href && (
          <a href={about.href} tabIndex={-1}>
            Open <ArrowUpRight aria-hidden size={13} />
          </a>
        )}
      </header>
      <p>{about.words}</p>
      {about.newest.length > 0 && (
        <ul>
          {about.newest.map(l => (
            <li key={l.block}>
              <p>
                <span className={css.dotKind} data-kind={l.kind} /> {l.kind} to {nameOf(l.context)} by {l.by} {l.at > 0 && <TimeAgo at={l.at} />} {l.stale && <Badge tone="warn">stale</Badge>}
              </p>
              <a href={hrefOf(l.context, l.block) || undefined} tabIndex={-1}>
                {plainLine(l.content, 110)}
              </a>
            </li>
          ))}
        </ul>
      )}
    </aside>
  )
}

function aboutOf(at: NonNullable<At>, graph: Graph, letters: readonly Letter[]): { title: string; href: string; words: string; newest: Letter[] } | null {
  const node = (key: string) => graph.nodes.find(n => n.key === key)
  if ("edge" in at) {
    const edge = graph.edges.find(e => e.key === at.edge)
    const [from, to] = [node(edge?.from ?? ""), node(edge?.to ?? "")]
    if (!edge || !from || !to) return null
    const words = edge.kind === "fork" ? "was forked into" : `${many(edge.count, edge.kind, edge.kind === "push" ? "pushes" : edge.kind + "s")}${edge.stale ? `, ${edge.stale} stale` : ""}`
    return { title: `${titleOf(from)} → ${titleOf(to)}`, href: "", words, newest: newestAt(letters, edge.from, edge.to, edge.kind, 3) }
  }
  const n = node(at.node)
  if (!n) return null
  if (n.kind === "cluster") return { title: titleOf(n), href: "", words: "Forks that nothing drifted from or to. Click, or press Enter, to show them.", newest: [] }
  const { came, went, stale } = trafficOf(graph.edges, n.key)
  const words = [`${many(came, "drift")} came, ${went} went`, n.unread > 0 && `${n.unread} unread`, stale > 0 && `${stale} stale`, n.staged > 0 && `${n.staged} in the queue`].filter(Boolean).join(" · ")
  return { title: nameOf(n.place), href: hrefOf(n.place), words, newest: newestAt(letters, n.key, "", "", 3) }
}
