// What of a drawing is seen: the arithmetic of panning, zooming and fitting,
// and which node lies in which direction.

import type { Point } from "./layout"

/** The part of the drawing that fills the view, as a viewBox has it. */
export interface View {
  x: number
  y: number
  width: number
  height: number
}

export interface Size {
  width: number
  height: number
}

const margin = 24
const nearest = 2.5 // pixels for a unit
const farthest = 0.01

/** The view that shows the whole drawing in the middle, not larger than life. */
export function fitting(drawing: Size, screen: Size): View {
  const scale = clamp(Math.min((screen.width - 2 * margin) / Math.max(1, drawing.width), (screen.height - 2 * margin) / Math.max(1, drawing.height), 1))
  const width = screen.width / scale
  const height = screen.height / scale
  return { x: (drawing.width - width) / 2, y: (drawing.height - height) / 2, width, height }
}

/** Zooms by a factor, so that a place, given as a share of the screen, stays where it is. */
export function zoomed(view: View, screen: Size, by: number, at: Point = { x: 0.5, y: 0.5 }): View {
  const scale = clamp((screen.width / view.width) * by)
  const width = screen.width / scale
  const height = screen.height / scale
  return { x: view.x + (view.width - width) * at.x, y: view.y + (view.height - height) * at.y, width, height }
}

/** Moves by pixels of the screen. */
export function panned(view: View, screen: Size, dx: number, dy: number): View {
  const unit = view.width / screen.width
  return { ...view, x: view.x - dx * unit, y: view.y - dy * unit }
}

/** The same scale and middle on a screen of another size. */
export function resized(view: View, before: Size, after: Size): View {
  const unit = view.width / before.width
  const width = after.width * unit
  const height = after.height * unit
  return { x: view.x + (view.width - width) / 2, y: view.y + (view.height - height) / 2, width, height }
}

/** The view, moved just as far as it takes to show a box with some room around. */
export function showing(view: View, centre: Point, box: Size): View {
  const room = 16
  const shift = (from: number, length: number, at: number, size: number) => {
    const low = at - size / 2 - room
    const high = at + size / 2 + room
    if (low < from) return low
    return high > from + length ? high - length : from
  }
  return { ...view, x: shift(view.x, view.width, centre.x, box.width), y: shift(view.y, view.height, centre.y, box.height) }
}

const clamp = (scale: number) => (Number.isFinite(scale) ? Math.min(nearest, Math.max(farthest, scale)) : 1)

export type Direction = "left" | "right" | "up" | "down"

const ways: Record<Direction, Point> = { left: { x: -1, y: 0 }, right: { x: 1, y: 0 }, up: { x: 0, y: -1 }, down: { x: 0, y: 1 } }

/** Of some nodes the one that lies best in a direction: near, and not far aside, at most so many times as far. "" if none lies there. */
export function towards(nodes: Readonly<Record<string, Point>>, from: string, direction: Direction, among: Iterable<string> = Object.keys(nodes), most = Infinity): string {
  const here = nodes[from]
  if (!here) return ""
  const way = ways[direction]
  let best = ""
  let cost = Infinity
  for (const key of among) {
    const there = nodes[key]
    if (!there || key === from) continue
    const along = (there.x - here.x) * way.x + (there.y - here.y) * way.y
    const aside = Math.abs((there.x - here.x) * way.y) + Math.abs((there.y - here.y) * way.x)
    if (along < 1 || aside > most * along) continue
    if (along + 2 * aside < cost) {
      cost = along + 2 * aside
      best = key
    }
  }
  return best
}

/** An arrow key: along an edge if one leads that way, else to the nearest node there. */
export function stepped(nodes: Readonly<Record<string, Point>>, joined: ReadonlyMap<string, ReadonlySet<string>>, from: string, direction: Direction): string {
  return towards(nodes, from, direction, joined.get(from) ?? [], 2) || towards(nodes, from, direction)
}
