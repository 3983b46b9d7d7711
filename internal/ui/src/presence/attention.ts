// Whether the person in front of this page does something.

import type { Status } from "./seat"

export const idleAfterMillis = 60_000
const signs = ["pointerdown", "pointermove", "keydown", "wheel", "focus"] as const

/** Calls `onStatus` when the person becomes idle, goes away or comes back; returns how to stop. */
export function watchAttention(onStatus: (status: Status) => void, idleAfter = idleAfterMillis): () => void {
  let status: Status = "active"
  let last = Date.now()
  let timer: ReturnType<typeof setTimeout>
  const set = (next: Status) => {
    if (next === status) return
    status = next
    onStatus(next)
  }
  const look = () => {
    clearTimeout(timer)
    if (document.hidden) return set("away")
    const rest = last + idleAfter - Date.now()
    set(rest > 0 ? "active" : "idle")
    if (rest > 0) timer = setTimeout(look, rest)
  }
  const act = () => {
    last = Date.now()
    if (status !== "active") look()
  }
  const turned = () => {
    last = Date.now()
    look()
  }
  for (const sign of signs) window.addEventListener(sign, act, { passive: true, capture: true })
  document.addEventListener("visibilitychange", turned)
  look()
  return () => {
    clearTimeout(timer)
    for (const sign of signs) window.removeEventListener(sign, act, { capture: true })
    document.removeEventListener("visibilitychange", turned)
  }
}
