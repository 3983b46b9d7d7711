import { useSyncExternalStore } from "react"

/** How often the words are looked at again, in milliseconds. */
const tickMillis = 15_000

let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined
const listeners = new Set<() => void>()

function subscribe(fn: () => void): () => void {
  listeners.add(fn)
  if (listeners.size === 1) {
    now = Date.now()
    timer = setInterval(() => {
      now = Date.now()
      for (const f of listeners) f()
    }, tickMillis)
  }
  return () => {
    listeners.delete(fn)
    if (listeners.size === 0) clearInterval(timer)
  }
}

/** A moment in words, "3 min ago", kept true by one clock for all; the whole of it on hover. */
export function TimeAgo({ at, className }: { at: number | string | Date; className?: string }) {
  useSyncExternalStore(subscribe, () => Math.floor(now / tickMillis), () => 0)
  const date = new Date(at)
  if (isNaN(date.getTime())) return null
  return (
    <time className={className} dateTime={date.toISOString()} title={date.toLocaleString()}>
      {ago(date.getTime(), Date.now())}
    </time>
  )
}

/** How long before `now` a moment was, in words. */
export function ago(at: number, now: number): string {
  const seconds = Math.round((now - at) / 1000)
  if (seconds < 45) return "just now" // also for a clock that is ahead of ours
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `${minutes} min ago`
  const hours = Math.round(minutes / 60)
  if (hours < 24) return `${hours} h ago`
  const date = new Date(at)
  const year = date.getFullYear() === new Date(now).getFullYear() ? undefined : "numeric"
  if (hours < 24 * 7) return `${Math.round(hours / 24)} d ago`
  return date.toLocaleDateString(undefined, { day: "numeric", month: "short", year })
}
