// Where somebody last was in each context, so that the page can say what
// happened since.

const key = "kj.seen"
const maxContexts = 200

interface Seen {
  heads: string[]
  at: number
}

const isSeen = (v: unknown): v is Seen =>
  typeof v === "object" && v !== null && typeof (v as Seen).at === "number" && Array.isArray((v as Seen).heads) && (v as Seen).heads.every(h => /^[0-9a-f]{64}$/.test(h))

function read(): Record<string, Seen> {
  try {
    const all: unknown = JSON.parse(localStorage.getItem(key) ?? "{}")
    return typeof all === "object" && all !== null ? Object.fromEntries(Object.entries(all).filter(([, v]) => isSeen(v))) : {}
  } catch {
    return {}
  }
}

/** The heads at which a context was last looked at, and when; null if it never was. */
export const lastSeen = (context: string): Seen | null => read()[context] ?? null

/** Remembers that a context is looked at as it is at these heads. */
export function noteSeen(context: string, heads: readonly string[], at = Date.now()): void {
  if (heads.length === 0 || heads.length > 32) return
  const all = Object.entries({ ...read(), [context]: { heads: [...heads], at } })
  all.sort(([, a], [, b]) => b.at - a.at)
  try {
    localStorage.setItem(key, JSON.stringify(Object.fromEntries(all.slice(0, maxContexts))))
  } catch {
    // Full: nothing is remembered.
  }
}
