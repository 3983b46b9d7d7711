// The events of the server, /v1/events, followed over breaks of the connection.
// A browser has few connections for all its tabs, so one stream serves
// everybody who follows, and none while nobody looks.

import { actors } from "./actors"
import { Stream } from "./eventstream"
import { covering, matches } from "./pattern"

export interface ServerEvent {
  /** The subject without "kj." and the kernel, such as "ctx.ID.drift.delivered". */
  subject: string
  /** What happened, such as "drift.delivered". */
  type: string
  id: string
  /** The context that it is about, "" if none. */
  context: string
  block: string
  /** All of the event as it came: with its principal, time and, under data, what its type says. */
  data: Record<string, unknown>
}

export interface FollowOptions {
  /** Called when events may have been lost: what was read before must be read anew. */
  onReset?: () => void
}

interface Follower extends FollowOptions {
  pattern: string
  onEvent: (event: ServerEvent) => void
}

/** Longer away than this, and everything is read anew instead of all that happened meanwhile. */
const awayMillis = 60_000
/** What starts or stops within this time changes the stream once. */
const gatherMillis = 50

const followers = new Set<Follower>()
let stream: Stream | null = null
let timer: ReturnType<typeof setTimeout> | undefined
let hiddenAt = 0
let listening = false

/** Calls `onEvent` for each event whose subject matches, such as "ctx.*.drift.>"; returns how to stop. */
export function follow(pattern: string, onEvent: (event: ServerEvent) => void, options: FollowOptions = {}): () => void {
  const follower = { pattern, onEvent, ...options }
  followers.add(follower)
  watchVisibility()
  soon()
  return () => {
    followers.delete(follower)
    soon()
  }
}

function soon(): void {
  clearTimeout(timer)
  timer = setTimeout(arrange, gatherMillis)
}

/** Has one stream that covers what is followed. */
function arrange(): void {
  const hidden = typeof document !== "undefined" && document.hidden
  const pattern = hidden ? null : covering([...followers].map(f => f.pattern))
  if (pattern === (stream?.pattern ?? null)) return
  const since = stream?.close() ?? (hiddenAt ? lastId : "")
  if (since) lastId = since
  stream = pattern === null ? null : new Stream(pattern, since, heard, lost)
}

let lastId = ""

function heard(raw: Record<string, unknown>, id: string): void {
  const event: ServerEvent = { subject: text(raw.subject).replace(/^kj\.[^.]*\./, ""), type: text(raw.type), id, context: text(raw.context), block: text(raw.block), data: raw }
  const by = raw.principal as { name?: unknown; kind?: unknown } | null | undefined
  if (typeof by === "object" && by) actors.noteKind(text(by.name), by.kind)
  for (const f of [...followers]) if (matches(f.pattern, event.subject)) f.onEvent(event)
}

function lost(): void {
  for (const f of [...followers]) f.onReset?.()
}

function watchVisibility(): void {
  if (listening || typeof document === "undefined") return
  listening = true
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      hiddenAt = Date.now()
      // Who only looks elsewhere for a moment keeps the stream.
      setTimeout(() => document.hidden && arrange(), awayMillis / 4)
      return
    }
    const long = hiddenAt > 0 && Date.now() - hiddenAt > awayMillis
    if (long) lastId = ""
    const had = stream !== null
    arrange()
    if (long && !had) lost()
  })
}

const text = (v: unknown) => (typeof v === "string" ? v : "")
