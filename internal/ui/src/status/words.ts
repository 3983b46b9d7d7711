// Times, sizes and states in plain words.

import { Refused } from "../core/ops"
import type { Connection, NodeStatus } from "./answers"

export const many = (n: number, one: string, more = one + "s") => `${n.toLocaleString("en")} ${n === 1 ? one : more}`

/** What went wrong, with what the server knows of how to mend it. */
export function wordsOf(err: unknown): string {
  if (err instanceof Refused && err.hint && !err.message.includes(err.hint)) return `${err.message} (${err.hint})`
  return err instanceof Error ? err.message : String(err)
}

/** A duration in its two largest units, "2 h 5 min". */
export function leftText(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1000))
  if (s < 120) return `${s} s`
  const min = Math.floor(s / 60)
  if (min < 60) return `${min} min`
  const h = Math.floor(min / 60)
  if (h < 48) return min % 60 ? `${h} h ${min % 60} min` : `${h} h`
  const d = Math.floor(h / 24)
  return h % 24 ? `${d} d ${h % 24} h` : `${d} d`
}

export function sizeText(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"]
  let n = bytes
  let u = 0
  while (n >= 1024 && u < units.length - 1) {
    n /= 1024
    u++
  }
  return `${u > 0 && n < 10 ? n.toFixed(1) : Math.round(n)} ${units[u]}`
}

/** Microseconds for people. */
export function microsText(us: number): string {
  if (us < 1000) return `${Math.round(us)} µs`
  if (us < 1_000_000) return `${us < 10_000 ? (us / 1000).toFixed(1) : Math.round(us / 1000)} ms`
  return `${(us / 1_000_000).toFixed(1)} s`
}

/** How this node stands to the others, as `kj status` says it. */
export function natsText(s: NodeStatus): string {
  if (s.nats.embedded) return "alone: no other node is asked for"
  if (s.nats.connected) return `connected to ${s.nats.server || "NATS"}`
  return `NATS is away${s.nats.server ? `: ${s.nats.server}` : ""}; editing goes on`
}

export function streamsText(s: NodeStatus): string {
  const lag = s.streams.reduce((sum, r) => sum + r.lag, 0)
  const behind = s.streams.filter(r => r.lag > 0 || !r.caughtUp).length
  if (s.streams.length === 0) return "none"
  return behind === 0 ? `${many(s.streams.length, "stream")}, up to date` : `${behind} of ${s.streams.length} behind, by ${many(lag, "batch", "batches")}`
}

export function outboxText(s: NodeStatus): string {
  const o = s.outbox
  const skipped = o.skipped ? `; ${many(o.skipped, "batch", "batches")} skipped` : ""
  return (o.changes === 0 ? "empty" : `${many(o.changes, "change")}, ${sizeText(o.bytes)}, the oldest for ${leftText(o.oldest)}`) + skipped
}

/** What waits for an editor. */
export function waitingText(c: Connection): string {
  const parts = [c.documentsWaiting > 0 && many(c.documentsWaiting, "document"), c.messagesWaiting > 0 && many(c.messagesWaiting, "message"), c.bytesWaiting > 0 && sizeText(c.bytesWaiting)].filter(Boolean)
  return parts.length > 0 ? parts.join(", ") : "nothing"
}
