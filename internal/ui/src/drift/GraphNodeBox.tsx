import { memo, useRef } from "react"
import { many } from "./check"
import { aboutNode, fitted, nodeSize, titleOf } from "./drawing"
import css from "./Graph.module.css"
import type { At } from "./GraphCanvas"
import { trafficOf, type GraphEdge, type GraphNode } from "./graph"
import type { Point } from "./layout"
import { hrefOf } from "./place"

interface Props {
  node: GraphNode
  at: Point
  edges: readonly GraphEdge[]
  near: boolean
  tabStop: boolean
  onHover(at: At): void
  onFocus(key: string): void
  onUnfold(of: string): void
  /** Whether the pointer that was let go had moved the drawing. */
  wasDrag(): boolean
}

/** A context: a link to it, where it can be opened. */
export const GraphNodeBox = memo(function GraphNodeBox({ node, at, edges, near, tabStop, onHover, onFocus, onUnfold, wasDrag }: Props) {
  const touched = useRef(false)
  const { width, height } = nodeSize
  const href = hrefOf(node.place)
  const inner = (
    <>
      <title>{labelOf(node, edges)}</title>
      <rect width={width} height={height} rx="8" className={css.box} />
      <text x="12" y="20" className={css.name} aria-hidden>
        {fitted(titleOf(node), node.unread > 0 ? 132 : 158)}
      </text>
      <text x="12" y="36" className={css.about} aria-hidden>
        {fitted(aboutNode(node), 178)}
      </text>
      {node.unread > 0 && <Count n={node.unread} x={width - 18} y={16} />}
    </>
  )
  const common = {
    className: css.node,
    transform: `translate(${at.x - width / 2} ${at.y - height / 2})`,
    "data-node": node.key,
    "data-kind": node.kind,
    "data-archived": node.archived ? "" : undefined,
    "data-near": near ? "" : undefined,
    tabIndex: tabStop ? 0 : -1,
    onPointerEnter: () => onHover({ node: node.key }),
    onPointerLeave: (e: React.PointerEvent) => e.pointerType !== "touch" && onHover(null),
    onPointerDown: (e: React.PointerEvent) => (touched.current = e.pointerType === "touch"),
    onFocus: () => onFocus(node.key),
    onBlur: () => onFocus(""),
  }
  if (node.kind === "cluster") {
    const unfold = () => onUnfold(node.key.slice("forks ".length))
    return (
      <g {...common} role="button" onClick={() => !wasDrag() && unfold()} onKeyDown={e => e.key === "Enter" && unfold()}>
        {inner}
      </g>
    )
  }
  if (!href)
    return (
      <g {...common} role="img">
        {inner}
      </g>
    )
  return (
    <a
      {...common}
      href={href}
      draggable={false}
      onClick={e => {
        // A finger has no hover: the first tap says what is there, and that has the way in.
        if (wasDrag() || touched.current) e.preventDefault()
        if (touched.current && !wasDrag()) onHover({ node: node.key })
      }}
    >
      {inner}
    </a>
  )
})

function Count({ n, x, y }: { n: number; x: number; y: number }) {
  const text = n > 99 ? "99+" : String(n)
  return (
    <g className={css.count} data-unread={n} aria-hidden>
      <rect x={x - 5 - text.length * 3.5} y={y - 9} width={10 + text.length * 7} height="18" rx="9" />
      <text x={x} y={y}>
        {text}
      </text>
    </g>
  )
}

function labelOf(node: GraphNode, edges: readonly GraphEdge[]): string {
  if (node.kind === "cluster") return `${many(node.members, "fork")}, folded: show them`
  const { came, went, stale } = trafficOf(edges, node.key)
  const kernel = node.kind === "foreign" ? `, in the kernel ${node.place.kernel}` : ""
  const parts = [`${many(came, "drift")} came, ${went} went`, stale > 0 && `${stale} stale`, node.unread > 0 && `${node.unread} unread`, node.archived && "archived"]
  return `${titleOf(node)}${kernel}: ${parts.filter(Boolean).join(", ")}`
}
