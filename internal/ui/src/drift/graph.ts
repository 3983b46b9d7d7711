// The drift graph: contexts as nodes, drifts and forks as edges, made of what
// drift_graph, drift_list and drift_inbox answer, and narrowed to what is asked.

import { countOf, isFields, rowsOf, textOf, timeOf } from "./check"
import { keyOf, nameOf, placeFrom, type Place, type Target } from "./place"
import type { Letter } from "./letters"

export const edgeKinds = ["push", "pull", "distill", "merge", "commit", "fork"] as const
export type EdgeKind = (typeof edgeKinds)[number]

export interface GraphNode {
  key: string
  place: Place
  /** What is drawn differently: of another kernel, one that may not be read, several folded into one. */
  kind: "context" | "foreign" | "hidden" | "cluster"
  archived: boolean
  blocks: number
  unread: number
  staged: number
  /** Of a cluster: how many it stands for. */
  members: number
}

export interface GraphEdge {
  key: string
  from: string
  to: string
  kind: EdgeKind
  count: number
  /** How many of the listed letters are stale. */
  stale: number
  last: number
}

export interface Graph {
  nodes: GraphNode[]
  edges: GraphEdge[]
  /** How many contexts are left out because nothing drifted to or from them. */
  alone: number
}

const isKind = (kind: string): kind is EdgeKind => (edgeKinds as readonly string[]).includes(kind)
const edgeKey = (from: string, to: string, kind: string) => `${from} ${to} ${kind}`

/** Everything that there is. What an edge says of its ends counts where the list of contexts lacks them. */
export function graphFrom(answer: unknown, targets: readonly Target[], letters: readonly Letter[]): Graph {
  const nodes = new Map<string, GraphNode>()
  for (const t of targets) nodes.set(keyOf(t), { key: keyOf(t), place: t, kind: "context", archived: t.archived, blocks: t.blocks, unread: t.unread, staged: t.staged, members: 1 })
  const nodeOf = (place: Place) => {
    const key = keyOf(place)
    if (!nodes.has(key)) nodes.set(key, { key, place, kind: place.kernel ? "foreign" : place.id ? "context" : "hidden", archived: false, blocks: 0, unread: 0, staged: 0, members: 1 })
    return key
  }
  const edges = new Map<string, GraphEdge>()
  for (const row of isFields(answer) ? rowsOf(answer.edges, 20_000) : []) {
    const kind = textOf(row.kind)
    if (!isKind(kind)) continue
    const from = nodeOf(placeFrom(row.from))
    const to = nodeOf(placeFrom(row.to))
    const key = edgeKey(from, to, kind)
    const known = edges.get(key)
    const count = Math.max(1, countOf(row.count))
    if (known) {
      known.count += count
      known.last = Math.max(known.last, timeOf(row.last))
    } else edges.set(key, { key, from, to, kind, count, stale: 0, last: timeOf(row.last) })
  }
  for (const l of letters) {
    // What another kernel's contexts are called, only the letters say.
    const far = l.from.kernel && l.from.title ? nodes.get(keyOf(l.from)) : undefined
    if (far && !far.place.title) far.place = l.from
    const edge = l.stale && edges.get(edgeKey(keyOf(l.from), keyOf(l.context), l.kind))
    if (edge) edge.stale++
  }
  return { nodes: [...nodes.values()], edges: [...edges.values()], alone: 0 }
}

export interface GraphFilter {
  kinds: ReadonlySet<EdgeKind>
  /** Only edges at which something came since, in milliseconds; 0: all. */
  since: number
  archived: boolean
  /** Contexts without any edge, too. */
  alone: boolean
  /** Only those whose name has it, and what they are connected with. */
  text: string
}

export const wholeGraph: GraphFilter = { kinds: new Set(edgeKinds), since: 0, archived: false, alone: false, text: "" }

export function narrowed(graph: Graph, f: GraphFilter): Graph {
  const kept = new Map(graph.nodes.filter(n => f.archived || !n.archived).map(n => [n.key, n]))
  let edges = graph.edges.filter(e => f.kinds.has(e.kind) && (f.since === 0 || e.last >= f.since) && kept.has(e.from) && kept.has(e.to))
  const text = f.text.trim().toLowerCase()
  if (text) {
    const fits = new Set([...kept.values()].filter(n => wordsOf(n).includes(text)).map(n => n.key))
    edges = edges.filter(e => fits.has(e.from) || fits.has(e.to))
    const near = new Set([...fits, ...edges.flatMap(e => [e.from, e.to])])
    return { nodes: [...near].map(key => kept.get(key)!), edges, alone: 0 }
  }
  const joined = new Set(edges.flatMap(e => [e.from, e.to]))
  const nodes = [...kept.values()].filter(n => f.alone || joined.has(n.key))
  return { nodes, edges, alone: kept.size - joined.size }
}

const wordsOf = (n: GraphNode) => `${nameOf(n.place)} ${n.place.label} ${n.place.short} ${n.place.id}`.toLowerCase()

/** From how many forks of one context on, those that nothing else drifted to or from are drawn as one. */
export const foldFrom = 5

/** Folds the forks of a context that have nothing but their fork into one node, where there are many. */
export function folded(graph: Graph, open: ReadonlySet<string> = new Set()): Graph {
  const degree = new Map<string, number>()
  for (const e of graph.edges) for (const end of [e.from, e.to]) degree.set(end, (degree.get(end) ?? 0) + 1)
  const forks = new Map<string, GraphEdge[]>()
  for (const e of graph.edges) {
    if (e.kind !== "fork" || degree.get(e.to) !== 1 || e.from === e.to) continue
    const list = forks.get(e.from)
    if (list) list.push(e)
    else forks.set(e.from, [e])
  }
  const gone = new Set<string>()
  const nodes: GraphNode[] = []
  const edges: GraphEdge[] = []
  const byKey = new Map(graph.nodes.map(n => [n.key, n]))
  for (const [from, list] of forks) {
    if (list.length < foldFrom || open.has(from)) continue
    const members = list.map(e => byKey.get(e.to)!)
    const key = `forks ${from}`
    const sum = (of: (n: GraphNode) => number) => members.reduce((all, n) => all + of(n), 0)
    nodes.push({ key, place: { kernel: "", id: "", short: "", label: "", title: `${list.length} forks` }, kind: "cluster", archived: false, blocks: sum(n => n.blocks), unread: sum(n => n.unread), staged: sum(n => n.staged), members: list.length })
    edges.push({ key: edgeKey(from, key, "fork"), from, to: key, kind: "fork", count: list.length, stale: 0, last: Math.max(...list.map(e => e.last)) })
    for (const e of list) gone.add(e.to)
  }
  if (gone.size === 0) return graph
  return { ...graph, nodes: [...graph.nodes.filter(n => !gone.has(n.key)), ...nodes], edges: [...graph.edges.filter(e => !gone.has(e.to)), ...edges] }
}

/** The newest letters at a node, or at an edge if a kind is given. */
export function newestAt(letters: readonly Letter[], from: string, to = "", kind = "", most = 5): Letter[] {
  const found: Letter[] = []
  for (const l of letters) {
    const [source, target] = [keyOf(l.from), keyOf(l.context)]
    const here = to ? source === from && target === to && l.kind === kind : source === from || target === from
    if (here) found.push(l)
    if (found.length === most) break
  }
  return found
}

/** How many drifts came to a node and went from it. */
export function trafficOf(edges: readonly GraphEdge[], key: string): { came: number; went: number; stale: number } {
  let came = 0
  let went = 0
  let stale = 0
  for (const e of edges) {
    if (e.kind === "fork") continue
    if (e.to === key) came += e.count
    if (e.from === key) went += e.count
    if (e.to === key) stale += e.stale
  }
  return { came, went, stale }
}

/** More contexts than this are no drawing any more that anybody reads. */
export const mostDrawn = 60

/** The contexts with the most drifts, and what joins them; of equal ones those with the newest. */
export function busiest(graph: Graph, most = mostDrawn): Graph {
  if (graph.nodes.length <= most) return graph
  const score = new Map<string, { count: number; last: number }>(graph.nodes.map(n => [n.key, { count: 0, last: 0 }]))
  for (const e of graph.edges)
    for (const end of [e.from, e.to]) {
      const s = score.get(end)
      if (!s) continue
      s.count += e.kind === "fork" ? 0.5 : e.count
      s.last = Math.max(s.last, e.last)
    }
  const of = (n: GraphNode) => score.get(n.key)!
  const nodes = [...graph.nodes].sort((a, b) => of(b).count - of(a).count || of(b).last - of(a).last).slice(0, most)
  const kept = new Set(nodes.map(n => n.key))
  return { ...graph, nodes, edges: graph.edges.filter(e => kept.has(e.from) && kept.has(e.to)) }
}
