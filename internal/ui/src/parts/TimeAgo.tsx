import { memo, useMemo, useSyncExternalStore } from "react"

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
export const TimeAgo = memo(function TimeAgo({ at, className }: { at: number | string | Date; className?: string | undefined }) {
  useSyncExternalStore(subscribe, () => Math.floor(now / tickMillis), () => 0)
  const millis = new Date(at).getTime()
  const valid = Number.isFinite(millis)
  const moment = useMemo(() => (valid ? { iso: new Date(millis).toISOString(), whole: whole.format(millis) } : null), [millis, valid])
  return (
    moment && (
      <time className={className} dateTime={moment.iso} title={moment.whole}>
        {ago(millis, Date.now())}
      </time>
    )
  )
})

// Making a format takes a hundred times as long as using it.
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" })
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" })
const dayOfYear = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" })

/** How long before `now` a moment was, in words. */
export function ago(at: number, now: number): string {
  const seconds = Math.round((now - at) / 1000)
  if (seconds < 45) return "just now" // also for a clock that is ahead of ours
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `${minutes} min ago`
  const hours = Math.round(minutes / 60)
  if (hours < 24) return `${hours} h ago`
  if (hours < 24 * 7) return `${Math.round(hours / 24)} d ago`
  return (new Date(at).getFullYear() === new Date(now).getFullYear() ? day : dayOfYear).format(at)
}
