// What a push will say when it arrives, put together as the server does: the
// words, then each block below a line with the number under which it is cited.

import { piecesOf } from "../core/handle"

export interface Chosen {
  id: string
  kind: string
  author: string
  content: string
}

export interface Composed {
  text: string
  /** What will be cited: a block that goes along, or a handle in the words. */
  cites: { ref: number; label: string; quote: string }[]
}

/** How many blocks can be pushed at a time, and how many bytes. */
export const maxBlocks = 64
export const maxBytes = 256 << 10
const maxQuote = 200

export function composed(words: string, blocks: readonly Chosen[]): Composed {
  const cites: Composed["cites"] = []
  const parts = words.trim() === "" ? [] : [words]
  for (const b of blocks) {
    if (b.content.trim() === "") continue
    const ref = cites.length + 1
    const lines = linesIn(b.content)
    cites.push({ ref, label: `${nameOfKind(b.kind)}, ${lines === 1 ? "line 1" : `lines 1–${lines}`}`, quote: [...b.content.slice(0, 4 * maxQuote)].slice(0, maxQuote).join("") })
    parts.push(`**[${ref}] ${nameOfKind(b.kind)}${b.author ? ` by ${b.author}` : ""}**\n\n${b.content}`)
  }
  for (const handle of new Set(piecesOf(words, new Map()).flatMap(p => p.handle ?? []))) cites.push({ ref: cites.length + 1, label: handle, quote: "" })
  return { text: parts.join("\n\n"), cites }
}

const nameOfKind = (kind: string) => kind.replaceAll("_", " ")
const linesIn = (text: string) => text.split("\n").length - (text.endsWith("\n") ? 1 : 0)

/** Why it cannot be pushed as it is; "" where nothing speaks against it. */
export function objection({ text }: Composed, blocks: number): string {
  if (text.trim() === "") return blocks > 0 ? "There is nothing in these blocks." : "Write what is to be said, or take a briefing."
  if (blocks > maxBlocks) return `${blocks} blocks are chosen: at most ${maxBlocks} go at a time.`
  return new TextEncoder().encode(text).length > maxBytes ? "This is more than 256 KiB: push fewer blocks, or a briefing of them." : ""
}

/** An id for a drift: whoever asks a second time with the same one gets what the first came to. */
export function freshId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = [...bytes].map(b => b.toString(16).padStart(2, "0")).join("")
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-")
}
