// The graph as a drawing: contexts as nodes, drifts and forks as edges.

import { Maximize, Minus, Plus } from "lucide-react"
import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import { IconButton, ProgressBar } from "../parts"
import { many } from "./check"
import { layoutInput, nodeSize } from "./drawing"
import type { Graph } from "./graph"
import { edgeKinds } from "./graph"
import { EdgeMark, GraphEdgeLine } from "./GraphEdgeLine"
import { GraphNodeBox } from "./GraphNodeBox"
import { GraphPanel } from "./GraphPanel"
import type { LayoutInput } from "./layout"
import type { Letter } from "./letters"
import { useLayout } from "./useLayout"
import { useView } from "./useView"
import { showing, stepped, type Direction } from "./viewport"
import css from "./Graph.module.css"

/** Below this width edges run downwards. */
const narrowPixels = 640
const arrows: Record<string, Direction> = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" }

/** What the pointer or the keyboard is at. */
export type At = { node: string } | { edge: string } | null

export function GraphCanvas({ graph, letters, onUnfold }: { graph: Graph; letters: readonly Letter[]; onUnfold(of: string): void }) {
  const svg = useRef<SVGSVGElement>(null)
  const [shape, setShape] = useState<{ direction: LayoutInput["direction"]; aspect: number } | null>(null)
  const input = useSame(useMemo(() => layoutInput(graph, shape?.direction ?? "right", shape?.aspect ?? 1.6), [graph, shape]))
  const { layout, busy, error } = useLayout(shape ? input : null)
  const drawing = useMemo(() => layout && { width: layout.width, height: layout.height }, [layout])
  const viewer = useView(svg, drawing)
  const [hovered, setHovered] = useState<At>(null)
  const [focused, setFocused] = useState("")

  const { width, height } = viewer.size
  useEffect(() => {
    if (width === 0) return
    const direction = width < narrowPixels ? "down" : "right"
    const aspect = Math.min(3, Math.max(0.5, Math.round((2 * width) / height) / 2))
    setShape(s => (s?.direction === direction && s.aspect === aspect ? s : { direction, aspect }))
  }, [width, height])

  const joined = useMemo(() => {
    const near = new Map<string, Set<string>>(graph.nodes.map(n => [n.key, new Set()]))
    for (const e of graph.edges) {
      near.get(e.from)?.add(e.to)
      near.get(e.to)?.add(e.from)
    }
    return near
  }, [graph])

  const at: At = hovered ?? (focused ? { node: focused } : null)
  const edge = at && "edge" in at ? graph.edges.find(e => e.key === at.edge) : undefined
  const lit = useMemo(() => {
    if (edge) return new Set([edge.from, edge.to])
    if (at && "node" in at) return new Set([at.node, ...(joined.get(at.node) ?? [])])
    return null
  }, [at && JSON.stringify(at), edge, joined])

  const focus = useCallback(
    (key: string) => {
      const centre = layout?.nodes[key]
      if (!centre) return
      viewer.move(view => showing(view, centre, nodeSize))
      svg.current?.querySelector<SVGElement>(`[data-node="${CSS.escape(key)}"]`)?.focus({ preventScroll: true })
    },
    [layout, viewer],
  )
  const keys = (e: React.KeyboardEvent) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return
    const direction = arrows[e.key]
    if (direction && layout) {
      e.preventDefault()
      const next = stepped(layout.nodes, joined, focused || stop, direction)
      if (next) focus(next)
    } else if (e.key === "+" || e.key === "=") viewer.zoom(1.3)
    else if (e.key === "-") viewer.zoom(1 / 1.3)
    else if (e.key === "0") viewer.fit()
    else if (e.key === "Escape") setHovered(null)
    else return
    e.stopPropagation()
  }
  // One node is in the order of the tab key: that which had the focus, or the one with the most edges.
  const stop = useMemo(() => {
    if (focused && joined.has(focused)) return focused
    return graph.nodes.reduce((best, n) => ((joined.get(n.key)?.size ?? 0) > (joined.get(best)?.size ?? -1) ? n.key : best), "")
  }, [graph, joined, focused])

  const drawn = layout ? graph.nodes.filter(n => layout.nodes[n.key]) : []
  const lines = layout ? graph.edges.filter(e => layout.lines[e.key]) : []
  return (
    <div className={css.canvas}>
      <svg ref={svg} role="group" aria-label={`Drift graph: ${many(graph.nodes.length, "context")}, ${many(graph.edges.length, "edge")}. Arrow keys go along the edges, Enter opens, plus and minus zoom, 0 shows all.`} onKeyDown={keys} data-lit={lit ? "" : undefined} className={css.svg}>
        <defs>
          {edgeKinds.map(kind => (
            <marker key={kind} id={`arrow-${kind}`} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
              <path d="M0 0.5L8 4L0 7.5z" className={css.arrow} data-kind={kind} />
            </marker>
          ))}
        </defs>
        <g aria-hidden>
          {lines.map(e => (
            <GraphEdgeLine key={e.key} edge={e} points={layout!.lines[e.key]!.points} near={isLit(at, e.key, e.from, e.to)} onHover={setHovered} />
          ))}
        </g>
        <g aria-hidden>
          {lines.map(e => (
            <EdgeMark key={e.key} edge={e} at={layout!.lines[e.key]!.label} near={isLit(at, e.key, e.from, e.to)} />
          ))}
        </g>
        {drawn.map(n => (
          <GraphNodeBox key={n.key} node={n} at={layout!.nodes[n.key]!} edges={graph.edges} near={lit?.has(n.key) ?? false} tabStop={n.key === stop} onHover={setHovered} onFocus={setFocused} onUnfold={onUnfold} wasDrag={viewer.dragged} />
        ))}
      </svg>
      {busy && (
        <div className={css.busy}>
          <ProgressBar label="Drawing the graph" />
        </div>
      )}
      {error && (
        <p className={css.error} role="alert">
          {error}
        </p>
      )}
      <div className={css.tools} role="toolbar" aria-label="View">
        <IconButton label="Closer" keys="+" icon={<Plus />} onClick={() => viewer.zoom(1.3)} />
        <IconButton label="Farther" keys="-" icon={<Minus />} onClick={() => viewer.zoom(1 / 1.3)} />
        <IconButton label="Show all" keys="0" icon={<Maximize />} onClick={viewer.fit} />
      </div>
      {at && <GraphPanel at={at} graph={graph} letters={letters} />}
    </div>
  )
}

const isLit = (at: At, key: string, from: string, to: string) => at !== null && ("edge" in at ? at.edge === key : at.node === from || at.node === to)

/** The same object as long as it says the same: what only counts anew is not laid out anew. */
function useSame<T>(value: T): T {
  const ref = useRef({ value, text: "" })
  const text = useMemo(() => JSON.stringify(value), [value])
  if (ref.current.text !== text) ref.current = { value, text }
  return ref.current.value
}
