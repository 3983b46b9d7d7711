// What the meta of a block says of where it comes from and what it rests on.
// Any editor may have written it: what is not as it should be reads as absent.

import { parseHandle } from "./handle"

export interface Citation {
  ref: number
  handle: string
  quote: string
}

/** Why a citation no longer stands. */
export interface Mark {
  ref: number
  reason: string
  diff: string
}

/** Where a drift block comes from, as it says. */
export interface Drift {
  kind: string
  kernel: string
  context: string
  title: string
  sender: string
  model: string
  distiller: string
  act: string
}

export interface Meta {
  drift: Drift | null
  citations: Citation[]
  stale: Mark[]
}

const maxMeta = 64 << 10
const maxCitations = 128
const none: Meta = { drift: null, citations: [], stale: [] }

/** Reads the meta of a block of a kind. */
export function readMeta(kind: string, meta: string): Meta {
  if (meta === "" || meta.length > maxMeta) return none
  let o: unknown
  try {
    o = JSON.parse(meta)
  } catch {
    return none
  }
  if (!isObject(o)) return none
  const citations = list(o.citations).flatMap(c => (number(c.ref) > 0 && parseHandle(text(c.handle)) ? [{ ref: number(c.ref), handle: text(c.handle), quote: text(c.quote) }] : []))
  const stale = list(o.stale).flatMap(m => (number(m.ref) > 0 ? [{ ref: number(m.ref), reason: text(m.reason) || "changed", diff: text(m.diff) }] : []))
  return { drift: kind === "drift" ? driftOf(o) : null, citations, stale }
}

function driftOf(o: Record<string, unknown>): Drift {
  return {
    kind: text(o.drift_kind),
    kernel: text(o.source_kernel),
    context: text(o.source_context),
    title: text(o.source_title),
    sender: isObject(o.principal) ? text(o.principal.name) : "",
    model: text(o.model),
    distiller: text(o.distiller),
    act: text(o.act),
  }
}

const isObject = (v: unknown): v is Record<string, unknown> => typeof v === "object" && v !== null && !Array.isArray(v)
const text = (v: unknown) => (typeof v === "string" ? v : "")
const number = (v: unknown) => (Number.isSafeInteger(v) ? (v as number) : 0)
const list = (v: unknown) => (Array.isArray(v) ? v.slice(0, maxCitations).filter(isObject) : [])
