// What a graph is drawn with: sizes, names that fit, and smooth lines.

import type { Graph, GraphEdge, GraphNode } from "./graph"
import type { Box, LayoutInput, Line, Point } from "./layout"
import { nameOf } from "./place"

export const nodeSize = { width: 184, height: 46 }
const textWidth = 152

/** About how wide a text of 13 pixels is. */
function widthOf(text: string): number {
  let width = 0
  for (const c of text) width += c.codePointAt(0)! >= 0x2e80 ? 13 : /[ilj.,:;'|!1 ]/.test(c) ? 3.9 : /[mwMW@%]/.test(c) ? 11 : 7.1
  return width
}

/** As much of a name as fits into a node. */
export function fitted(text: string, most = textWidth): string {
  if (widthOf(text) <= most) return text
  const chars = [...text]
  let end = Math.min(chars.length, 60)
  while (end > 1 && widthOf(chars.slice(0, end).join("") + "…") > most) end--
  return chars.slice(0, end).join("").trimEnd() + "…"
}

/** The second line of a node. */
export function aboutNode(n: GraphNode): string {
  switch (n.kind) {
    case "hidden":
      return "not for you to read"
    case "cluster":
      return "nothing drifted from or to them"
    case "foreign":
      return `in the kernel ${n.place.kernel}`
  }
  const blocks = n.blocks === 1 ? "1 block" : `${n.blocks} blocks`
  return [n.place.label || n.place.short, n.archived ? "archived" : blocks].filter(Boolean).join(" · ")
}

export const titleOf = (n: GraphNode) => (n.kind === "foreign" ? n.place.title || n.place.label || n.place.short || n.place.id.slice(-6) || n.place.kernel : n.kind === "context" ? n.place.title || n.place.label || "Untitled" : nameOf(n.place))

/** What is written at an edge; "" for a single drift that stands. */
export const markOf = (e: GraphEdge) => [e.kind !== "fork" && e.count > 1 ? `×${e.count}` : "", e.stale > 0 ? "stale" : ""].filter(Boolean).join(" ")

export function layoutInput(graph: Graph, direction: LayoutInput["direction"], aspect: number): LayoutInput {
  const boxes = graph.nodes.map((n): Box => ({ key: n.key, ...nodeSize }))
  const lines = graph.edges.map((e): Line => {
    const mark = markOf(e)
    return { key: e.key, from: e.from, to: e.to, label: mark === "" ? 0 : Math.round(widthOf(mark) * 0.9 + 10) }
  })
  // Of many, those that come first are laid out: lineage holds the graph together.
  const forks = new Set(graph.edges.filter(e => e.kind === "fork").map(e => e.key))
  lines.sort((a, b) => Number(forks.has(b.key)) - Number(forks.has(a.key)))
  return { boxes, lines, direction, aspect }
}

/** A smooth line through points, as the d of a path. */
export function smooth(points: readonly Point[]): string {
  const at = (p: Point) => `${round(p.x)} ${round(p.y)}`
  const [first, ...rest] = points
  if (!first || rest.length === 0) return ""
  if (rest.length === 1) return `M${at(first)}L${at(rest[0]!)}`
  let d = `M${at(first)}`
  for (let n = 0; n < rest.length - 1; n++) {
    const here = rest[n]!
    const next = rest[n + 1]!
    const end = n === rest.length - 2 ? next : { x: (here.x + next.x) / 2, y: (here.y + next.y) / 2 }
    d += `Q${at(here)} ${at(end)}`
  }
  return d
}

const round = (n: number) => Math.round(n * 10) / 10
