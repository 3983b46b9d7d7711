// Small checks of what the server answers and documents say. What is not as it
// should be reads as absent; a list that is too long is cut.

export type Fields = Record<string, unknown>

export const isFields = (v: unknown): v is Fields => typeof v === "object" && v !== null && !Array.isArray(v)
export const textOf = (v: unknown): string => (typeof v === "string" ? v : "")
/** A whole number from 0, else 0. */
export const countOf = (v: unknown): number => (Number.isSafeInteger(v) && (v as number) > 0 ? (v as number) : 0)
/** The objects of a list. */
export const rowsOf = (v: unknown, most = 10_000): Fields[] => (Array.isArray(v) ? v.slice(0, most).filter(isFields) : [])
export const textsOf = (v: unknown, most = 10_000): string[] => (Array.isArray(v) ? v.slice(0, most).filter((s): s is string => typeof s === "string") : [])

/** Milliseconds of a time as the server writes it; 0 for what is none. */
export function timeOf(v: unknown): number {
  const ms = typeof v === "string" ? Date.parse(v) : NaN
  return Number.isFinite(ms) ? ms : 0
}

/** The beginning of a text on one line, cut between characters. */
export function lineOf(text: string, most: number): string {
  const chars = [...text.slice(0, 8 * most).trim().replace(/\s+/g, " ")]
  return chars.length > most ? chars.slice(0, most).join("").trimEnd() + "…" : chars.join("")
}

/** "1 drift", "3 drifts". */
export const many = (n: number, one: string, more = one + "s") => `${n.toLocaleString("en")} ${n === 1 ? one : more}`

/** The same of Markdown, without most of its marks. */
export function plainLine(markdown: string, most: number): string {
  const text = markdown
    .slice(0, 16 * most)
    .replace(/^\s{0,3}(#{1,6}|[-*+>]|\d{1,9}[.)])\s+/gm, "")
    .replace(/\s(#{1,6}|[-*])\s/g, " · ") // of a text that is one line already
    .replace(/(\*\*|__|~~|`+)(?=\S)(.*?\S)\1/g, "$2")
  return lineOf(text, most)
}
