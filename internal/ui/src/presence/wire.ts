// What editors tell each other by ephemeral messages, in the channels of
// automerge-repo's Presence:
//
//   nick    what a person wants to be called
//   status  "active", "idle" or "away"
//   at      where the caret is, or null
//
// Anybody who may read the document may send anything; what is heard is
// checked here, and cut to size.

import type { Status } from "./seat"

/** One end of a selection. */
export interface Spot {
  /** An Automerge cursor, which stays at its character; absent when only the place is known. */
  readonly cursor?: string
  /** Where that was when it was sent, in UTF-16 units, or in code points from servers. */
  readonly pos: number
}

export interface At {
  readonly block: string
  readonly anchor: Spot
  readonly head: Spot
  readonly typing: boolean
  /** The places count code points. */
  readonly points?: boolean
}

export interface Told {
  readonly nick: string
  readonly status: Status
  readonly at: At | null
}

export const channels: ReadonlySet<string> = new Set(["nick", "name", "status", "at"])

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const cursor = /^(?:[se]|-?[0-9]{1,15}@(?:[0-9a-f]{2}){1,64})$/
const maxNick = 40

/** A name as it may be shown: one line, of characters that show, not long. */
export function cleanNick(value: unknown): string {
  if (typeof value !== "string") return ""
  const clean = value.slice(0, 4 * maxNick).replace(/[\p{C}\p{Zl}\p{Zp}\u034f\u115f\u1160\u3164\uffa0]+/gu, " ").replace(/\p{M}{3,}/gu, "").replace(/\s+/g, " ").trim()
  return [...clean].slice(0, maxNick).join("")
}

const isPlace = (v: unknown): v is number => Number.isSafeInteger(v) && (v as number) >= 0

function spotOf(value: unknown): Spot | null {
  const { cursor: c, pos } = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>
  if (!isPlace(pos)) return null
  return typeof c === "string" && cursor.test(c) ? { cursor: c, pos } : { pos }
}

/** Reads where somebody says they are; null when they do not, or what they say is none. */
export function atOf(value: unknown): At | null {
  if (typeof value !== "object" || value === null) return null
  const { block, anchor, head, typing } = value as Record<string, unknown>
  const [a, h] = [spotOf(anchor), spotOf(head)]
  return typeof block === "string" && uuid.test(block) && a && h ? { block, anchor: a, head: h, typing: typing === true } : null
}

/** Reads the state of an editor's presence. */
export function toldOf(state: unknown): Told {
  const { nick, name, status, at } = (typeof state === "object" && state !== null ? state : {}) as Record<string, unknown>
  return { nick: cleanNick(nick ?? name), status: statusOf(status), at: atOf(at) }
}

export const statusOf = (value: unknown): Status => (value === "idle" || value === "away" ? value : "active")

/** Reads the state of a seat as the server tells it, of the operation presence_set. */
export function setOf(state: unknown): At | null {
  const { cursor: c, selection: s, typing } = (typeof state === "object" && state !== null ? state : {}) as Record<string, any>
  const range = s && isPlace(s.start) && isPlace(s.end) ? { block: s.block, anchor: { pos: s.start }, head: { pos: s.end } } : null
  const caret = c ? { block: c.block, anchor: { pos: c.pos ?? 0 }, head: { pos: c.pos ?? 0 } } : null
  const at = atOf({ ...(range ?? caret ?? {}), typing })
  return at && { ...at, points: true }
}
