// Any other Automerge document as text.

import * as A from "@automerge/automerge/slim"

/** How much of a document is shown, in UTF-16 units. */
const maxShown = 500_000

/** The document as indented JSON, with a readable form for what JSON lacks. */
export function pretty(doc: unknown): string {
  const text = JSON.stringify(doc, readable, 2) ?? ""
  return text.length > maxShown ? text.slice(0, maxShown) + "\n… and more" : text
}

function readable(this: unknown, key: string, value: unknown): unknown {
  const raw = (this as Record<string, unknown>)[key] // before toJSON
  if (raw instanceof Uint8Array) return `bytes(${raw.length}) ${[...raw.subarray(0, 32)].map(b => b.toString(16).padStart(2, "0")).join("")}${raw.length > 32 ? "…" : ""}`
  if (raw instanceof Date) return isNaN(raw.getTime()) ? "invalid date" : raw.toISOString()
  if (typeof raw === "bigint") return raw.toString()
  if (A.isImmutableString(raw)) return raw.toString()
  if (A.isCounter(raw)) return Number(raw.value)
  return value
}
