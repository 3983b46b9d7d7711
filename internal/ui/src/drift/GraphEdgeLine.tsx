import { memo } from "react"
import { markOf, smooth } from "./drawing"
import css from "./Graph.module.css"
import type { At } from "./GraphCanvas"
import type { GraphEdge } from "./graph"
import type { Point } from "./layout"

/** An edge, with a wider one that cannot be seen for the pointer. */
export const GraphEdgeLine = memo(function GraphEdgeLine({ edge, points, near, onHover }: { edge: GraphEdge; points: readonly Point[]; near: boolean; onHover(at: At): void }) {
  const d = smooth(points)
  return (
    <g className={css.edge} data-kind={edge.kind} data-near={near ? "" : undefined} data-stale={edge.stale > 0 ? "" : undefined} onPointerEnter={() => onHover({ edge: edge.key })} onPointerLeave={() => onHover(null)}>
      <path d={d} className={css.hit} />
      <path d={d} className={css.line} markerEnd={`url(#arrow-${edge.kind})`} style={{ "--weight": Math.min(4, 1.4 + Math.log2(edge.count) * 0.5) } as React.CSSProperties} />
    </g>
  )
})

/** What is written at an edge. */
export const EdgeMark = memo(function EdgeMark({ edge, at, near }: { edge: GraphEdge; at: Point; near: boolean }) {
  const mark = markOf(edge)
  if (mark === "") return null
  return (
    <text className={css.mark} x={at.x} y={at.y} data-kind={edge.kind} data-near={near ? "" : undefined} data-stale={edge.stale > 0 ? "" : undefined}>
      {mark}
    </text>
  )
})
