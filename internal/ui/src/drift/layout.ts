// Where the nodes of a graph stand. What is connected is laid out by dagre, one
// piece after the other, and the pieces are put side by side in rows.

import { Graph, layout } from "@dagrejs/dagre"

export interface Box {
  key: string
  width: number
  height: number
}

export interface Line {
  key: string
  from: string
  to: string
  /** The width of what is written at it; 0 for nothing. */
  label: number
}

export interface Point {
  x: number
  y: number
}

export interface LayoutInput {
  boxes: Box[]
  lines: Line[]
  /** Whether edges run to the right or downwards. */
  direction: "right" | "down"
  /** How much wider than high the whole should be. */
  aspect: number
}

export interface Layout {
  /** The centres of the boxes. */
  nodes: Record<string, Point>
  /** Points of each line from border to border, and the place of what is written at it. */
  lines: Record<string, { points: Point[]; label: Point }>
  width: number
  height: number
}

interface Piece {
  nodes: [string, Point][]
  lines: [string, { points: Point[]; label: Point }][]
  width: number
  height: number
}

const gap = 40
/** From how many nodes on a piece is ranked the quick way. */
const bigPiece = 250

export function laidOut(input: LayoutInput): Layout {
  const pieces = piecesOf(input).map(piece => (piece.boxes.length === 1 && piece.lines.length === 0 ? single(piece.boxes[0]!) : laidPiece(piece, input.direction)))
  return packed(pieces, input.aspect)
}

/** What is connected, the biggest first. Ends of lines that are no boxes are left out. */
function piecesOf({ boxes, lines }: LayoutInput): { boxes: Box[]; lines: Line[] }[] {
  const root = new Map(boxes.map(b => [b.key, b.key]))
  const rootOf = (key: string): string => {
    let at = key
    while (root.get(at) !== at) {
      root.set(at, root.get(root.get(at)!)!)
      at = root.get(at)!
    }
    return at
  }
  const good = lines.filter(l => root.has(l.from) && root.has(l.to))
  for (const l of good) root.set(rootOf(l.from), rootOf(l.to))
  const pieces = new Map<string, { boxes: Box[]; lines: Line[] }>()
  for (const b of boxes) {
    const at = rootOf(b.key)
    const piece = pieces.get(at)
    if (piece) piece.boxes.push(b)
    else pieces.set(at, { boxes: [b], lines: [] })
  }
  for (const l of good) pieces.get(rootOf(l.from))!.lines.push(l)
  return [...pieces.values()].sort((a, b) => b.boxes.length - a.boxes.length)
}

const single = (b: Box): Piece => ({ nodes: [[b.key, { x: b.width / 2, y: b.height / 2 }]], lines: [], width: b.width, height: b.height })

function laidPiece({ boxes, lines }: { boxes: Box[]; lines: Line[] }, direction: "right" | "down"): Piece {
  const g = new Graph({ multigraph: true })
  g.setGraph({ rankdir: direction === "right" ? "LR" : "TB", nodesep: 22, ranksep: direction === "right" ? 56 : 48, edgesep: 14, marginx: 0, marginy: 0, acyclicer: "greedy", ranker: boxes.length > bigPiece ? "longest-path" : "network-simplex" })
  g.setDefaultEdgeLabel(() => ({}))
  for (const b of boxes) g.setNode(b.key, { width: b.width, height: b.height })
  for (const l of lines) g.setEdge(l.from, l.to, l.label > 0 ? { width: l.label, height: 18, labelpos: "c" } : {}, l.key)
  layout(g)
  const nodes = boxes.map((b): [string, Point] => {
    const at = g.node(b.key) as unknown as Point
    return [b.key, { x: at.x, y: at.y }]
  })
  const drawn = lines.map((l): [string, { points: Point[]; label: Point }] => {
    const e = g.edge(l.from, l.to, l.key) as unknown as { points?: Point[]; x?: number; y?: number }
    const points = (e.points ?? []).map(p => ({ x: p.x, y: p.y }))
    const middle = points[Math.floor(points.length / 2)] ?? { x: 0, y: 0 }
    return [l.key, { points, label: { x: e.x ?? middle.x, y: e.y ?? middle.y } }]
  })
  return bounded(nodes, drawn, new Map(boxes.map(b => [b.key, b])))
}

/** Moves a piece to the corner, with all that belongs to it. */
function bounded(nodes: Piece["nodes"], lines: Piece["lines"], boxes: ReadonlyMap<string, Box>): Piece {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  const take = (x: number, y: number, w = 0, h = 0) => {
    left = Math.min(left, x - w / 2)
    right = Math.max(right, x + w / 2)
    top = Math.min(top, y - h / 2)
    bottom = Math.max(bottom, y + h / 2)
  }
  for (const [key, p] of nodes) take(p.x, p.y, boxes.get(key)!.width, boxes.get(key)!.height)
  for (const [, l] of lines) for (const p of l.points) take(p.x, p.y)
  const moved = (p: Point) => ({ x: p.x - left, y: p.y - top })
  return {
    nodes: nodes.map(([key, p]) => [key, moved(p)]),
    lines: lines.map(([key, l]) => [key, { points: l.points.map(moved), label: moved(l.label) }]),
    width: right - left,
    height: bottom - top,
  }
}

/** Puts pieces into rows of about the same width. */
function packed(pieces: Piece[], aspect: number): Layout {
  const out: Layout = { nodes: {}, lines: {}, width: 0, height: 0 }
  const area = pieces.reduce((sum, p) => sum + (p.width + gap) * (p.height + gap), 0)
  const rowWidth = Math.max(...pieces.map(p => p.width), Math.sqrt(area * aspect))
  let [x, y, high] = [0, 0, 0]
  for (const p of pieces) {
    if (x > 0 && x + p.width > rowWidth) {
      y += high + gap
      x = high = 0
    }
    const moved = (at: Point) => ({ x: at.x + x, y: at.y + y })
    for (const [key, at] of p.nodes) out.nodes[key] = moved(at)
    for (const [key, l] of p.lines) out.lines[key] = { points: l.points.map(moved), label: moved(l.label) }
    out.width = Math.max(out.width, x + p.width)
    out.height = Math.max(out.height, y + p.height)
    high = Math.max(high, p.height)
    x += p.width + gap
  }
  return out
}
