// What the page tells in passing. Anybody says it; <Toasts> shows it.

export interface ToastAction {
  label: string
  run(): void
}
export interface ToastSpec {
  text: string
  /** Default "info". An error stays until it is closed. */
  kind?: "info" | "ok" | "warn" | "error"
  action?: ToastAction
}
export interface Shown extends ToastSpec {
  id: number
  kind: "info" | "ok" | "warn" | "error"
}

/** How many are shown at once; older ones go. */
const maxShown = 4

let shown: readonly Shown[] = []
let last = 0
const listeners = new Set<() => void>()

/** Shows a message; returns how to take it back. The same words again replace the first. */
export function toast(spec: ToastSpec | string): () => void {
  const { kind = "info", ...rest } = typeof spec === "string" ? { text: spec } : spec
  const id = ++last
  set([...shown.filter(t => t.text !== rest.text), { ...rest, kind, id }].slice(-maxShown))
  return () => dismiss(id)
}

/** Takes a message away. */
export function dismiss(id: number): void {
  set(shown.filter(t => t.id !== id))
}

export const toasts = {
  get: (): readonly Shown[] => shown,
  subscribe(fn: () => void): () => void {
    listeners.add(fn)
    return () => listeners.delete(fn)
  },
}

function set(next: readonly Shown[]): void {
  shown = next
  for (const fn of listeners) fn()
}
