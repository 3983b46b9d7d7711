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
  /** From border to border. */
  lines: Record<string, Drawn>
  width: number
  height: number
}

/** A line, and the place of what is written at it. */
interface Drawn {
  points: Point[]
  label: Point
}

interface Piece {
  nodes: [string, Point][]
  lines: [string, Drawn][]
  width: number
  height: number
}

const gap = 40
/**
 * From how many nodes on only as many lines of a piece are laid out as join it;
 * the others are drawn straight. All of them would take many seconds.
 */
const bigPiece = 120

export function laidOut(input: LayoutInput): Layout {
  const pieces = piecesOf(input).map(piece => (piece.boxes.length === 1 && piece.lines.length === 0 ? single(piece.boxes[0]!) : laidPiece(piece, input.direction)))
  return packed(pieces, input.aspect)
}

/** What is connected, the biggest first. Ends of lines that are no boxes are left out. */
function piecesOf({ boxes, lines }: LayoutInput): { boxes: Box[]; lines: Line[] }[] {
  const tree = roots(boxes)
  const known = new Set(boxes.map(b => b.key))
  const good = lines.filter(l => known.has(l.from) && known.has(l.to))
  for (const l of good) tree.join(l.from, l.to)
  const pieces = new Map<string, { boxes: Box[]; lines: Line[] }>()
  for (const b of boxes) {
    const at = tree.of(b.key)
    const piece = pieces.get(at)
    if (piece) piece.boxes.push(b)
    else pieces.set(at, { boxes: [b], lines: [] })
  }
  for (const l of good) pieces.get(tree.of(l.from))!.lines.push(l)
  return [...pieces.values()].sort((a, b) => b.boxes.length - a.boxes.length)
}

/** Which boxes hang together: `join` reports whether two did not before. */
function roots(boxes: readonly Box[]): { of(key: string): string; join(a: string, b: string): boolean } {
  const above = new Map(boxes.map(b => [b.key, b.key]))
  const of = (key: string): string => {
    let at = key
    while (above.get(at) !== at) {
      above.set(at, above.get(above.get(at)!)!)
      at = above.get(at)!
    }
    return at
  }
  const join = (a: string, b: string) => {
    const [x, y] = [of(a), of(b)]
    above.set(x, y)
    return x !== y
  }
  return { of, join }
}

const single = (b: Box): Piece => ({ nodes: [[b.key, { x: b.width / 2, y: b.height / 2 }]], lines: [], width: b.width, height: b.height })

function laidPiece({ boxes, lines }: { boxes: Box[]; lines: Line[] }, direction: "right" | "down"): Piece {
  const ranked = boxes.length > bigPiece ? forestOf(boxes, lines) : lines
  const g = new Graph({ multigraph: true })
  g.setGraph({ rankdir: direction === "right" ? "LR" : "TB", nodesep: 22, ranksep: direction === "right" ? 56 : 48, edgesep: 14, marginx: 0, marginy: 0, acyclicer: "greedy", ranker: boxes.length > bigPiece ? "tight-tree" : "network-simplex" })
  g.setDefaultEdgeLabel(() => ({}))
  // Names that mean something in JavaScript lead dagre astray: it gets numbers.
  const names = new Map(boxes.map((b, n) => [b.key, `n${n}`]))
  for (const b of boxes) g.setNode(names.get(b.key)!, { width: b.width, height: b.height })
  for (const [n, l] of ranked.entries()) g.setEdge(names.get(l.from)!, names.get(l.to)!, l.label > 0 ? { width: l.label, height: 18, labelpos: "c" } : {}, `e${n}`)
  layout(g)
  const at = new Map(boxes.map(b => {
    const { x, y } = g.node(names.get(b.key)!) as unknown as Point
    return [b.key, { x, y }]
  }))
  const drawn = new Map<string, Drawn>()
  for (const [n, l] of ranked.entries()) {
    const e = g.edge(names.get(l.from)!, names.get(l.to)!, `e${n}`) as unknown as { points?: Point[]; x?: number; y?: number }
    const points = (e.points ?? []).map(p => ({ x: p.x, y: p.y }))
    const middle = points[Math.floor(points.length / 2)] ?? { x: 0, y: 0 }
    drawn.set(l.key, { points, label: { x: e.x ?? middle.x, y: e.y ?? middle.y } })
  }
  const sizes = new Map(boxes.map(b => [b.key, b]))
  for (const [n, l] of lines.entries()) if (!drawn.has(l.key)) drawn.set(l.key, straight(at.get(l.from)!, at.get(l.to)!, sizes.get(l.from)!, sizes.get(l.to)!, n))
  return bounded([...at], [...drawn], sizes)
}

/** As many of the lines, the first ones, as join everything without a circle. */
function forestOf(boxes: readonly Box[], lines: readonly Line[]): Line[] {
  const rootOf = roots(boxes)
  return lines.filter(l => rootOf.join(l.from, l.to))
}

/** A line that goes its own way: a bow from border to border. */
function straight(from: Point, to: Point, a: Box, b: Box, n: number): Drawn {
  const bow = (n % 2 === 0 ? 1 : -1) * (0.08 + 0.03 * (n % 4))
  const middle = { x: (from.x + to.x) / 2 - (to.y - from.y) * bow, y: (from.y + to.y) / 2 + (to.x - from.x) * bow }
  return { points: [border(from, middle, a), middle, border(to, middle, b)], label: middle }
}

/** Where the line from the centre of a box to a point leaves the box. */
function border(centre: Point, towards: Point, box: Box): Point {
  const dx = towards.x - centre.x
  const dy = towards.y - centre.y
  const share = Math.min(1, box.width / 2 / Math.max(1e-6, Math.abs(dx)), box.height / 2 / Math.max(1e-6, Math.abs(dy)))
  return { x: centre.x + dx * share, y: centre.y + dy * share }
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
  const out: Layout = { nodes: Object.create(null), lines: Object.create(null), width: 0, height: 0 }
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
