// The history of a context as points in time, as the server folds it.

import { op } from "../core/ops"

/** What one author did in one stretch of time. */
export interface Point {
  version: number
  heads: readonly string[]
  /** Milliseconds; the clocks of authors may say anything. */
  first: number
  last: number
  author: string
  via: string
  others: readonly string[]
  changes: number
  how: readonly string[]
  blocks: readonly string[]
  touched: number
  merge: boolean
  fork: boolean
  message: string
}

export interface AuthorTotal {
  author: string
  changes: number
  first: number
  last: number
}

export interface HistoryPage {
  version: number
  heads: readonly string[]
  changes: number
  count: number
  authors: readonly AuthorTotal[]
  /** Oldest first. */
  points: readonly Point[]
  next: string
}

/** How finely a history is cut. */
export interface Grain {
  id: string
  title: string
  gap: number
  mixed: boolean
}

export const grains: readonly Grain[] = [
  { id: "every", title: "Every change", gap: 0, mixed: false },
  { id: "moments", title: "Moments", gap: 8, mixed: false },
  { id: "minutes", title: "Minutes", gap: 60, mixed: false },
  { id: "sittings", title: "Sittings", gap: 900, mixed: true },
  { id: "days", title: "Days", gap: 43_200, mixed: true },
]

/** A history of so many changes is short enough to show each of them. */
const fewChanges = 200
/** More points than this are not told apart on a slider. */
export const manyPoints = 2000

export interface Ask {
  grain: Grain
  since?: string
  author?: string
  limit?: number
  cursor?: string
}

/** Asks for points. */
export async function askHistory(context: string, { grain, since, author, limit = 1000, cursor }: Ask, signal?: AbortSignal): Promise<HistoryPage> {
  const params = { context, gap: grain.gap, mixed: grain.mixed, limit, ...(since && { since }), ...(author && { author }), ...(cursor && { cursor }) }
  return pageOf(await op<unknown>("context_history", params, { signal }))
}

/** The finest grain in which the history is not too long, for the length that it has. */
export async function fittingGrain(context: string, signal?: AbortSignal): Promise<Grain> {
  const first = await askHistory(context, { grain: grains[1]!, limit: 1 }, signal)
  if (first.changes <= fewChanges) return grains[0]!
  if (first.count <= manyPoints) return grains[1]!
  for (const grain of grains.slice(2, -1)) if ((await askHistory(context, { grain, limit: 1 }, signal)).count <= manyPoints) return grain
  return grains[grains.length - 1]!
}

/** All points, page after page from the newest; `told` hears of each page. */
export async function allPoints(context: string, ask: Ask, signal: AbortSignal, told: (points: readonly Point[], page: HistoryPage, whole: boolean) => void): Promise<void> {
  let points: Point[] = []
  let cursor: string | undefined
  do {
    const page = await askHistory(context, { ...ask, cursor }, signal)
    points = [...page.points, ...points]
    const next = page.next && page.next !== cursor && points.length < 5 * manyPoints ? page.next : undefined
    told(points, page, next === undefined)
    cursor = next
  } while (cursor && !signal.aborted)
}

/** Reads what the server answers; what is not as it should be is left out. */
export function pageOf(answer: unknown): HistoryPage {
  const a = record(answer)
  return {
    version: number(a.version),
    heads: texts(a.heads),
    changes: number(a.changes),
    count: number(a.count),
    authors: list(a.authors).map(record).map(t => ({ author: text(t.author), changes: number(t.changes), first: time(t.first), last: time(t.last) })),
    points: list(a.points).map(record).map(pointOf).filter(p => p.version > 0),
    next: text(a.next),
  }
}

function pointOf(p: Record<string, unknown>): Point {
  return {
    version: number(p.version),
    heads: texts(p.heads),
    first: time(p.first),
    last: time(p.last),
    author: text(p.author),
    via: text(p.via),
    others: texts(p.others),
    changes: number(p.changes),
    how: texts(p.how),
    blocks: texts(p.blocks),
    touched: number(p.touched),
    merge: p.merge === true,
    fork: p.fork === true,
    message: text(p.message),
  }
}

/** How a point is named in addresses and to the server. */
export const momentOf = (p: Pick<Point, "heads" | "version">) => (p.heads.length > 0 ? p.heads.join(",") : String(p.version))

/** The point at a moment, -1 if none is. */
export const indexOfMoment = (points: readonly Point[], at: string) => points.findIndex(p => momentOf(p) === at || String(p.version) === at)

/** The last point that was there at a time; the first if none was. */
export function indexAtTime(points: readonly Point[], at: number): number {
  let best = 0
  points.forEach((p, i) => {
    if (p.last <= at) best = i
  })
  return best
}

export const record = (v: unknown): Record<string, unknown> => (typeof v === "object" && v !== null ? (v as Record<string, unknown>) : {})
export const list = (v: unknown): unknown[] => (Array.isArray(v) ? v : [])
export const text = (v: unknown) => (typeof v === "string" ? v : "")
const texts = (v: unknown) => list(v).filter(t => typeof t === "string")
const number = (v: unknown) => (typeof v === "number" && Number.isFinite(v) ? v : 0)
const time = (v: unknown) => {
  const at = Date.parse(text(v))
  return Number.isFinite(at) ? at : 0
}
