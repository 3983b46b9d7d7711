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
  /** Of a file: its path in its worktree. */
  path: string
}

const maxMeta = 64 << 10
const maxCitations = 128
/** How much of a name is shown, in characters. */
const maxName = 120
const none: Meta = { drift: null, citations: [], stale: [], path: "" }

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
  const citations = list(o.citations).flatMap(c => (number(c.ref) > 0 && parseHandle(text(c.handle)) ? [{ ref: number(c.ref), handle: text(c.handle), quote: text(c.quote) }] : [])).filter(firstOfItsNumber)
  const stale = list(o.stale).flatMap(m => (number(m.ref) > 0 ? [{ ref: number(m.ref), reason: text(m.reason) || "changed", diff: text(m.diff) }] : []))
  return { drift: kind === "drift" ? driftOf(o) : null, citations, stale, path: kind === "file" ? name(o.path) : "" }
}

const firstOfItsNumber = (c: Citation, n: number, all: Citation[]) => all.findIndex(other => other.ref === c.ref) === n

function driftOf(o: Record<string, unknown>): Drift {
  return {
    kind: name(o.drift_kind),
    kernel: name(o.source_kernel),
    context: name(o.source_context),
    title: name(o.source_title),
    sender: isObject(o.principal) ? name(o.principal.name) : "",
    model: name(o.model),
    distiller: name(o.distiller),
    act: name(o.act),
  }
}

const isObject = (v: unknown): v is Record<string, unknown> => typeof v === "object" && v !== null && !Array.isArray(v)
const text = (v: unknown) => (typeof v === "string" ? v : "")
const name = (v: unknown) => shortened(text(v), maxName)
const number = (v: unknown) => (Number.isSafeInteger(v) ? (v as number) : 0)
const list = (v: unknown) => (Array.isArray(v) ? v.slice(0, maxCitations).filter(isObject) : [])

/** The beginning of a text, on one line. */
export function shortened(s: string, max: number): string {
  const chars = [...s.trim().replace(/\s+/g, " ")]
  return chars.length > max ? chars.slice(0, max).join("") + "…" : chars.join("")
}
