// Which contexts a typed address may mean, the likeliest first. What it does
// mean, the server decides.

import { nameOf, type Place, type Target } from "./place"

export interface Suggestion {
  /** What the operation is given. */
  address: string
  name: string
  detail: string
  /** A kernel, behind which a context is still to be named. */
  open: boolean
}

const maxSuggestions = 8

/** Suggestions for what was typed; nothing typed suggests the newest. `own` is left out. */
export function suggested(targets: readonly Target[], kernels: readonly string[], typed: string, own = ""): Suggestion[] {
  const text = typed.trim().toLowerCase()
  const ranked = targets
    .flatMap((target, n) => {
      const rank = target.id === own || target.archived ? 0 : rankOf(target, text)
      return rank > 0 ? [{ target, rank, n }] : []
    })
    .sort((a, b) => b.rank - a.rank || b.n - a.n)
  const near = ranked.slice(0, maxSuggestions).map(({ target }) => suggestionOf(target))
  const far = kernels.filter(k => text === "" || `${k}:`.startsWith(text)).map(k => ({ address: `${k}:`, name: `${k}:`, detail: "another kernel: go on with a label, a title or an id", open: true }))
  return [...near, ...far].slice(0, maxSuggestions + 2)
}

const suggestionOf = (t: Target): Suggestion => ({ address: t.id, name: nameOf(t), detail: [t.label, t.short].filter(Boolean).join(" · "), open: false })

function rankOf({ label, title, short, id }: Place, text: string): number {
  if (text === "") return 1
  const [l, t, s, i] = [label, title, short, id].map(v => v.toLowerCase()) as [string, string, string, string]
  if (l === text || t === text || s === text) return 6
  if (l.startsWith(text)) return 5
  if (t.startsWith(text)) return 4
  if (t.split(/[^\p{L}\p{N}]+/u).some(word => word.startsWith(text))) return 3
  if (s.startsWith(text) || s.endsWith(text) || i.startsWith(text)) return 2
  return t.includes(text) || l.includes(text) ? 1 : 0
}
